"""Restarts nodes one after the other behind a load balancer while clients with keep-alive connections send requests."""

import http.client
import socket
import ssl
import threading
import time

from nodes import until
from samples import HOST

CLIENTS = 8


class Load:
    """Clients that send requests at a steady rate and never repeat one. Every request that fails is recorded."""

    def __init__(self, proxy, paths, key, total, rate):
        self.proxy, self.paths, self.key = proxy, paths, key
        self.total, self.interval = total, CLIENTS / rate
        self.context = ssl.create_default_context(cafile=proxy.certificate_authority())
        self.lock = threading.Lock()
        self.sent = self.connections = 0
        self.failures = []
        # The load goes on until the restarts are done, even if all requests were sent before.
        self.restarting = True

    def next_request(self):
        with self.lock:
            if self.sent >= self.total and not self.restarting:
                return None
            self.sent += 1
            return self.paths[self.sent % len(self.paths)]

    def client(self):
        connection = None
        started = time.monotonic()
        for number in range(10**9):
            path = self.next_request()
            if path is None:
                return
            if connection is None:
                connection = http.client.HTTPSConnection("127.0.0.1", self.proxy.https, timeout=20, context=self.context)
                connection.connect = lambda connection=connection: connect(connection)
                with self.lock:
                    self.connections += 1
            if not self.request(connection, path):
                connection = None
            time.sleep(max(0, started + number * self.interval - time.monotonic()))

    def request(self, connection, path):
        """Whether the connection can be used for another request."""
        try:
            connection.request("GET", path, headers={"Host": HOST, "X-API-Key": self.key})
            response = connection.getresponse()
            body = response.read()
            if response.status != 200:
                self.record(f"{path}: {response.status} {body[:200]!r}")
            if response.will_close:
                connection.close()
                return False
            return True
        except (OSError, http.client.HTTPException) as error:
            self.record(f"{path}: {error!r}")
            connection.close()
            return False

    def record(self, failure):
        with self.lock:
            self.failures.append(f"{time.strftime('%H:%M:%S')} {failure}")


def connect(connection):
    """TLS with the name of the site, to loopback."""
    plain = socket.create_connection((connection.host, connection.port), connection.timeout)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sock = connection._context.wrap_socket(plain, server_hostname=HOST)


def rolling_restart(proxy, nodes, key, restarts_per_node, total, rate):
    """Returns the load after `restarts_per_node` restarts of each node, one at a time."""
    load = Load(proxy, ["/v1/servers", "/", "/healthz", "/v1/live"], key, total, rate)
    clients = [threading.Thread(target=load.client) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for number in range(restarts_per_node * len(nodes)):
            node = nodes[number % len(nodes)]
            position = proxy.log.stat().st_size
            node.stop()
            node.start()
            # The next one leaves the load balancer as soon as its health check fails, so this one must be back before.
            until(f"{proxy.name} sees {node.name}", lambda: proxy.sees(node, position))
    finally:
        load.restarting = False
        for client in clients:
            client.join()
    return load
