"""Clients over HTTP and HTTPS, with the name of the site, to addresses of this machine."""

import http.client
import re
import socket
import urllib.parse

from nodes import HOST

# Longer than any timeout of the service or of a proxy.
TIMEOUT = 30


def connection_to(proxy, timeout, source="127.0.0.1"):
    connection = http.client.HTTPSConnection("127.0.0.1", proxy.https, timeout=timeout, context=proxy.client_context,
                                             source_address=(source, 0))
    connection.connect = lambda: connect(connection)
    return connection


def connect(connection):
    """TLS with the name of the site, to loopback."""
    plain = socket.create_connection((connection.host, connection.port), connection.timeout, connection.source_address)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sock = connection._context.wrap_socket(plain, server_hostname=HOST)


def client_of_proxy(proxy, source="127.0.0.1"):
    return Client(lambda: connection_to(proxy, TIMEOUT, source), f"https://{HOST}")


def client_of_node(node):
    return Client(lambda: http.client.HTTPConnection("127.0.0.1", node.port, timeout=TIMEOUT), f"http://{HOST}")


class Client:
    """A browser without scripts: one keep-alive connection, cookies, and forms with their CSRF token."""

    def __init__(self, open_connection, origin):
        self.open_connection, self.origin = open_connection, origin
        self.connection = None
        self.cookies = {}

    def request(self, method, path, headers=(), body=None):
        """The status, headers and body. A connection that fails is an OSError or an HTTPException."""
        if self.connection is None:
            self.connection = self.open_connection()
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Host": HOST, **({"Cookie": cookies} if cookies else {}), **dict(headers)}
        try:
            self.connection.request(method, path, body=body, headers=headers)
            response = self.connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        for cookie in response.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if response.will_close:
            self.close()
        return response.status, response.headers, content

    def submit(self, path, fields):
        form = urllib.parse.urlencode({**fields, "token": self.token})
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": self.origin}
        return self.request("POST", path, kind, form)

    def open_form(self, path):
        """Reads a page with a form, for its CSRF token."""
        status, _, page = self.request("GET", path)
        found = re.search(rb'name="token" value="([^"]+)"', page)
        if status != 200 or not found:
            raise SystemExit(f"{path}: {status}, no form")
        self.token = found.group(1).decode()

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None
