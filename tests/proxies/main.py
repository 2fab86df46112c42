"""Caddy, nginx and HAProxy with the samples of packaging/proxies, each in front of two nodes.

Usage: main.py [--long] BINARY
Needs TEST_POSTGRES_URL: a PostgreSQL whose user may create databases.
"""

import os
import sys
import tempfile
import time

from database import create_database
from nodes import Node, until
from rolling_restart import rolling_restart
from samples import HOST, Caddy, Certificate, HAProxy, Nginx

# Clients that differ in their address only, all of this machine.
CLIENT, OTHER_CLIENT, FORGED = "127.0.0.77", "127.0.0.78", "203.0.113.9"
WRONG_KEYS_PER_MINUTE = 5
failures = []


def check(what, actual, expected):
    if actual == expected:
        print(f"ok    {what}", flush=True)
    else:
        failures.append(what)
        print(f"FAIL  {what}: expected {expected!r}, got {actual!r}", flush=True)


def check_pages(proxy, key):
    page = proxy.get("/", options=["--http2"])
    check(f"{proxy.name}: a page by HTTP/2", (page.status, page.version, "<h1" in page.body), (200, "2", True))
    check(f"{proxy.name}: HTTP leads to HTTPS", proxy.get("/servers", scheme="http").status in (301, 308), True)
    call = proxy.get("/v1/servers", headers=[f"X-API-Key: {key}"])
    check(f"{proxy.name}: an API call", (call.status, '"success":true' in call.body), (200, True))
    check(f"{proxy.name}: no API call without a key", proxy.get("/v1/servers").status, 401)


def check_client_ip(proxy, nodes):
    path = f"/nothing-{proxy.name}"
    proxy.get(path, source=CLIENT, headers=[f"X-Forwarded-For: {FORGED}"])
    logged = until("the request is logged", lambda: [ip for node in nodes for ip in node.clients(path)], 10)
    check(f"{proxy.name}: the log has the IP of the client, not what it claims", set(logged), {CLIENT})


def check_limit(proxy, nodes):
    """Each node counts for itself, so twice the limit may be needed; and a clock minute may end meanwhile."""
    statuses = []
    while len(statuses) < 8 * WRONG_KEYS_PER_MINUTE and 429 not in statuses:
        statuses.append(proxy.get("/v1/servers", source=CLIENT, headers=["X-API-Key: rc_wrong"]).status)
    check(f"{proxy.name}: the limit of wrong keys counts the client", statuses[-1], 429)
    other = proxy.get("/v1/servers", source=OTHER_CLIENT, headers=["X-API-Key: rc_wrong"]).status
    check(f"{proxy.name}: and no other client", other, 401)


def check_restarts(proxy, nodes, key, per_node, total, rate):
    for node in nodes:
        node.set("ROLLCALL_HTTP_SHUTDOWN_DELAY", proxy.shutdown_delay())
    until(f"{proxy.name} sees both nodes", lambda: sees_both(proxy, nodes))
    started = time.monotonic()
    load = rolling_restart(proxy, nodes, key, per_node, total, rate)
    seconds = time.monotonic() - started
    print(f"      {proxy.name}: {2 * per_node} restarts, {load.sent} requests over {load.connections} connections, "
          f"{len(load.failures)} failed, {seconds:.0f} s")
    for failure in load.failures[:10]:
        print(f"      {failure}")
    check(f"{proxy.name}: no request fails while nodes restart", len(load.failures), 0)


def sees_both(proxy, nodes):
    """Whether requests reach either node."""
    path = f"/nothing-{time.monotonic_ns()}"
    for _ in range(8):
        proxy.get(path)
    return all(node.clients(path) for node in nodes)


def main():
    *options, binary = sys.argv[1:]
    long = "--long" in options
    database, drop_database = create_database(os.environ["TEST_POSTGRES_URL"])
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        settings = {
            "ROLLCALL_DATABASE": database,
            "ROLLCALL_PUBLIC_URL": f"https://{HOST}",
            "ROLLCALL_HTTP_TRUSTED_PROXIES": "127.0.0.1",
            "ROLLCALL_AUTH_WRONG_KEYS_PER_MINUTE": str(WRONG_KEYS_PER_MINUTE),
            "ROLLCALL_TRACKER_PING_INTERVAL": "off",
            "ROLLCALL_LOG_FILTER": "info,rollcall=debug",
            "ROLLCALL_LOG_FORMAT": "json",
        }
        nodes = [Node(binary, name, folder, settings) for name in ("node1", "node2")]
        proxies = []
        try:
            run(nodes, proxies, folder, long)
        finally:
            for process in [*proxies, *nodes]:
                process.end()
            drop_database()
    if failures:
        raise SystemExit(f"{len(failures)} checks failed")


def run(nodes, proxies, folder, long):
    for node in nodes:
        node.start()
    limits = [f"--per-{period}={10**6}" for period in ("minute", "day", "month")]
    key = nodes[0].run("key", "create", "--name", "proxies", *limits)
    certificate = Certificate(folder)
    for kind in (Caddy, Nginx, HAProxy):
        proxy = kind(folder, nodes, certificate)
        proxies.append(proxy)
        proxy.start()
        until("the key is known", lambda: proxy.get("/v1/servers", headers=[f"X-API-Key: {key}"]).status == 200)
        check_pages(proxy, key)
        check_client_ip(proxy, nodes)
        check_limit(proxy, nodes)
        ten_times = long and kind is HAProxy
        check_restarts(proxy, nodes, key, *((10, 12_000, 200) if ten_times else (1, 600, 100)))


main()
