"""Restarts nodes one after the other behind a load balancer while clients with keep-alive connections send requests."""

import http.client
import threading
import time

from http_client import connection_to
from nodes import HOST, until

CLIENTS = 8


class Load:
    """Clients that send requests at a steady rate and never repeat one. Every request that fails is recorded."""

    def __init__(self, proxy, paths, key, total, rate):
        self.proxy, self.paths, self.key = proxy, paths, key
        self.total, self.interval = total, CLIENTS / rate
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
                connection = connection_to(self.proxy, timeout=20)
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


def restart_one_by_one(proxy, nodes):
    for node in nodes:
        position = proxy.log.stat().st_size
        node.stop()
        node.start()
        # The next one leaves the load balancer as soon as its health check fails, so this one must be back before.
        until(f"{proxy.name} sees {node.name}", lambda: proxy.sees(node, position))


def rolling_restart(proxy, nodes, key, restarts_per_node, total, rate):
    """Returns the load after `restarts_per_node` restarts of each node, one at a time."""
    load = Load(proxy, ["/v1/servers", "/", "/healthz", "/v1/live"], key, total, rate)
    clients = [threading.Thread(target=load.client) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        for _ in range(restarts_per_node):
            restart_one_by_one(proxy, nodes)
    finally:
        load.restarting = False
        for client in clients:
            client.join()
    return load
