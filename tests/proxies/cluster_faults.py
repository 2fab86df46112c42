"""Restarts, kill -9, silent connections and a failover on a cluster under load, one after the other. Then what clients got is
compared with the store.

Usage: cluster_faults.py [--long] BINARY
Needs TEST_S3_URL. `--long` does everything up to the failover three times.
"""

import concurrent.futures
import datetime
import os
import signal
import sys
import tempfile
import threading
import time
import urllib.parse

from cluster import PING_INTERVAL, Cluster
from nodes import until
from rolling_restart import restart_one_by_one
from steady_load import LOST, SteadyLoad

# The quota of the key that each part uses up, and how much of it each node reserves ahead and loses if it is killed.
BOUNDED = 512
RESERVED_AHEAD = BOUNDED // 256
# What docs/OPERATIONS.md promises: seconds in which requests may fail.
AFTER_KILL, AFTER_STALL, AFTER_FAILOVER = 5, 20, 10
PASSWORD = "correct horse battery staple"
failures = []


def check(what, is_right, found=""):
    if not is_right:
        failures.append(what)
    print(f"{'ok   ' if is_right else 'FAIL '} {what}{f': {found}' if found != '' else ''}", flush=True)


class Sequence:
    """The parts, each with its fault, under the same load."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.bounded_keys = []
        self.load = SteadyLoad(cluster.proxy)

    def start_load(self):
        cluster, load = self.cluster, self.load
        servers = cluster.list_servers()
        slugs = [server["slug"] for server in servers]
        pictures = [urllib.parse.urlsplit(server[field]).path for server in servers for field in ("iconUrl", "motdImageUrl")]
        calls = ["/v1/servers", "/v1/live", "/v1/search?q=game", f"/v1/servers/{slugs[0]}", f"/v1/servers/{slugs[1]}/voters"]
        for _ in range(4):
            load.get("call", calls, 0.05, {"X-API-Key": cluster.key})
        load.get("page", ["/", "/servers", f"/servers/{slugs[2]}"], 0.1)
        load.get("picture", pictures, 0.05)
        load.votes(slugs, 0.1)
        account = ["account", "create", "ada", "--password-stdin", "--permanent"]
        cluster.node2.run(*account, given=PASSWORD + "\n")
        self.session = load.session("ada", PASSWORD, 0.1)
        self.next_key()
        load.bounded_calls(0.02)

    def next_key(self):
        key = self.cluster.create_key(f"bounded-{len(self.bounded_keys)}", BOUNDED)
        self.bounded_keys.append(key)
        headers = {"X-API-Key": key}
        for node in self.cluster.nodes:
            until("the key is known", lambda: node.request("/v1/servers?limit=1", headers)[0] == 200)
        # These requests count, too. A key that is not known yet counts nothing.
        self.load.calls[key].update({"sent": len(self.cluster.nodes), 200: len(self.cluster.nodes)})
        self.load.bounded_key = key

    def part(self, name, fault, failing_seconds=0, pause=2 * PING_INTERVAL):
        """Runs a fault. Requests may fail for some seconds after its begin, and a server may stay without a ping for a time."""
        self.next_key()
        before = len(self.load.failures)
        began = time.monotonic()
        fault()
        over = max(time.monotonic(), began + failing_seconds)
        until(f"{name}: everything goes on", lambda: self.has_gone_on_since(over))
        found = self.load.failures[before:]
        # A request that waits on a silent connection fails when it gives up, so this counts from the fault.
        lasted = found[-1].at - began if found else 0
        by_kind = ", ".join(sorted({f"{failure.kind}: {failure.detail}" for failure in found})[:6])
        check(f"{name}: requests fail for at most {failing_seconds} s",
              not found or failing_seconds and lasted <= failing_seconds,
              f"{len(found)} failed within {lasted:.1f} s ({by_kind})" if found else "none failed")
        self.check_pings(name, began, time.monotonic(), pause)
        lost = [failure for failure in found if failure.detail == LOST]
        check(f"{name}: the login session stays valid", not lost)

    def has_gone_on_since(self, since):
        """Whether every client has begun and ended a request since then, and every game server was pinged twice."""
        pinged = all(server.count(since, time.monotonic()) >= 2 for server in self.cluster.game_servers)
        return pinged and all(begun > since for begun in self.load.begun)

    def check_pings(self, name, since, until, pause):
        # Half a second: the tracker looks for due servers four times a second.
        longest = max(server.longest_pause(since, until) for server in self.cluster.game_servers)
        check(f"{name}: no server waits longer than {pause} s for its ping", longest <= pause + 0.5, f"{longest:.1f} s")
        # The interval varies by a tenth.
        most = int((until - since) / (0.9 * PING_INTERVAL)) + 1
        pings = max(server.count(since, until) for server in self.cluster.game_servers)
        check(f"{name}: no server is pinged more often than once per interval", pings <= most, f"{pings} in {until - since:.0f} s")

    def run(self, rounds):
        cluster = self.cluster
        self.part("no fault", lambda: None)
        for _ in range(rounds):
            self.part("rolling restart", self.restart_all)
            self.part("kill -9 of a node", lambda: kill(cluster.node2), AFTER_KILL)
            cluster.node2.start()
            self.part("kill -9 of a tracker", lambda: kill(cluster.tracker1))
            cluster.tracker1.start()
            self.part("silent connections", self.stall, AFTER_STALL)
        self.part("failover", self.fail_over, AFTER_FAILOVER, pause=2 * PING_INTERVAL + AFTER_FAILOVER)
        self.part("after all faults", lambda: None)
        # What the load leaves of the keys.
        for key in self.bounded_keys:
            self.use_up(key)
        self.load.end()

    def restart_all(self):
        restart_one_by_one(self.cluster.proxy, self.cluster.nodes)
        for tracker in self.cluster.trackers:
            tracker.stop()
            tracker.start()

    def stall(self):
        for proxy in self.cluster.stalling:
            proxy.stall()

    def fail_over(self):
        self.cluster.primary.control("crash")
        self.cluster.replica.control("promote")

    def use_up(self, key):
        """Sends requests to both nodes at once until the quota is used up."""
        counts, lock = self.load.calls[key], threading.Lock()
        def call(number):
            node = self.cluster.nodes[number % 2]
            status, _ = node.request("/v1/servers?limit=1", {"X-API-Key": key})
            with lock:
                counts["sent"] += 1
                counts[status] += 1
        with concurrent.futures.ThreadPoolExecutor(8) as workers:
            list(workers.map(call, range(BOUNDED + 64)))


def kill(node):
    node.process.send_signal(signal.SIGKILL)
    node.process.wait()


def check_quotas(sequence, months):
    for key in sequence.bounded_keys:
        counts = sequence.load.calls[key]
        admitted, limit = counts[200], BOUNDED * months
        # A request that failed may have been counted; each node may have been killed once with what it had reserved.
        failed = counts["sent"] - counts[200] - counts[429]
        least = BOUNDED - failed - 2 * len(sequence.cluster.nodes) * RESERVED_AHEAD
        check(f"a key with {BOUNDED} requests admits no more, and loses no more than failed", least <= admitted <= limit,
              f"{admitted} of {counts['sent']} admitted, {failed} failed")


def check_votes(load, store):
    # The names of voters are only here; a vote without a known player has none.
    names = {voter for voter, in store.sql("select substr(voter, 6) from vote_guards where voter like 'name:%'")}
    [[votes]] = store.sql("select count(*) from votes")
    lost, foreign = load.acknowledged - names, names - load.tried
    check("no acknowledged vote is lost", not lost, f"{len(load.acknowledged)} acknowledged, {votes} stored, {len(lost)} lost")
    check("no other vote is stored, and none twice", (len(foreign), int(votes)) == (0, len(names)), f"{len(names)} voters")
    wrong = store.sql("select slug from servers s where total_votes <> (select count(*) from votes v where v.server_n = s.n)")
    check("totals of votes are right", not wrong, len(wrong))


def check_samples(cluster, store):
    answered = sum(len(server.pings) for server in cluster.game_servers)
    [[stored]] = store.sql("select count(*) from samples where server_n > 0")
    check("no ping is stored twice", int(stored) <= answered, f"{answered} answered, {stored} stored")


def check_pictures(cluster):
    servers = cluster.list_servers()
    paths = [urllib.parse.urlsplit(server[field]).path for server in servers for field in ("iconUrl", "bannerUrl", "motdImageUrl")]
    for node in cluster.nodes:
        replies = [node.request(path) for path in paths]
        there = sum(status == 200 and body.startswith(b"\x89PNG") for status, body in replies)
        check(f"{node.name} has every picture", there == len(paths) > 0, f"{there} of {len(paths)}")


def check_sessions(cluster, session):
    cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in session.cookies.items())}
    statuses = [node.request("/dashboard", cookies)[0] for node in cluster.nodes]
    check("the login session is valid on both nodes", statuses == [200, 200], statuses)


def main():
    *options, binary = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        cluster = Cluster(folder, binary)
        try:
            cluster.start()
            months = {datetime.datetime.now(datetime.timezone.utc).month}
            sequence = Sequence(cluster)
            sequence.start_load()
            sequence.run(3 if "--long" in options else 1)
            months.add(datetime.datetime.now(datetime.timezone.utc).month)
            print(f"      {sum(sequence.load.answered.values())} requests: {dict(sequence.load.answered)}")
            check_quotas(sequence, len(months))
            check_votes(sequence.load, cluster.replica)
            check_samples(cluster, cluster.replica)
            check_pictures(cluster)
            check_sessions(cluster, sequence.session)
        finally:
            cluster.end()
    if failures:
        raise SystemExit(f"{len(failures)} checks failed")


main()
