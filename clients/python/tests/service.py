"""The running service of the tests (TEST_URL), whose keys TEST_PROGRAM makes, and services on this machine that answer as they are told."""

import http.server
import json
import os
import socket
import subprocess
import threading
import time
import urllib.parse
from itertools import islice

from rollcall_client import RollcallClient, RollcallError

BASE_URL = os.environ["TEST_URL"] + "/v1"
ROOMY = ["--per-minute", "10000", "--per-day", "100000", "--per-month", "1000000"]


def command(*given):
    return subprocess.check_output([os.environ["TEST_PROGRAM"], *given], text=True)


def known_key(*limits):
    """A new key and its id, when the service knows it: within a second."""
    created = json.loads(command("key", "create", "--json", *limits))
    deadline = time.monotonic() + 60
    while True:
        try:
            RollcallClient(BASE_URL, created["key"], retries=0).key_status()
            return created["key"], created["id"]
        except RollcallError as error:
            if error.status != 401 or time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def oldest_events(rollcall, count):
    """The ids of the oldest events, when the demo's servers have told of enough players."""
    deadline = time.monotonic() + 60
    while True:
        ids = [event["id"] for event in islice(rollcall.iter_events_list(), count)]
        if len(ids) == count:
            return ids
        if time.monotonic() > deadline:
            raise AssertionError(f"{len(ids)} events")
        time.sleep(0.2)


class Fake:
    """Answers each request with the next of some answers: status, headers and body. Keeps what was asked."""

    def __init__(self, *answers):
        self.asked = []
        fake, left = self, list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                fake.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                status, headers, body = left.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    # The client has read enough.
                    pass

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class Breaking:
    """A way to the service on which each connection breaks after some bytes."""

    def __init__(self, limit):
        self._limit = limit
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _serve(self):
        service = urllib.parse.urlsplit(BASE_URL)
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            with near, socket.create_connection((service.hostname, service.port)) as far:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    head += near.recv(1)
                far.sendall(head)
                left = self._limit
                while left > 0 and (chunk := far.recv(left)):
                    near.sendall(chunk)
                    left -= len(chunk)
