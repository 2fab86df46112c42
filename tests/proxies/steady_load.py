"""Clients of a site that go on while its nodes fail: API calls, login sessions, pictures and votes. None repeats a request."""

import collections
import http.client
import threading
import time

from http_client import TIMEOUT, client_of_proxy

# What is wrong with the answer to a session that was valid.
LOST = "the session was lost"

Failure = collections.namedtuple("Failure", "at kind detail")


class SteadyLoad:
    """Runs every kind of request in threads of its own, and records what fails."""

    def __init__(self, proxy):
        self.proxy = proxy
        self.lock = threading.Lock()
        self.failures = []
        self.answered = collections.Counter()
        self.threads = []
        # Of each thread: when its last completed attempt began.
        self.begun = []
        self.is_ending = False
        # Of each key with a low limit: how many requests were sent, and how many had which status.
        self.calls = collections.defaultdict(collections.Counter)
        self.bounded_key = None
        # The voters whose votes were acknowledged, and all who tried.
        self.acknowledged, self.tried = set(), set()

    def run(self, kind, pause, attempt):
        """Repeats an attempt, which returns None or what was wrong with the answer."""
        number = len(self.begun)
        self.begun.append(0)
        def repeat():
            while not self.is_ending:
                started = time.monotonic()
                try:
                    problem = attempt()
                except (OSError, http.client.HTTPException) as error:
                    problem = repr(error)
                with self.lock:
                    self.answered[kind] += 1
                    if problem:
                        self.failures.append(Failure(time.monotonic(), kind, problem))
                    self.begun[number] = started
                time.sleep(max(0, started + pause - time.monotonic()))
        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        self.threads.append(thread)

    def end(self):
        self.is_ending = True
        for thread in self.threads:
            thread.join(2 * TIMEOUT)

    def get(self, kind, paths, pause, headers=()):
        """Reads the paths in turn; each must be there."""
        client, turn = client_of_proxy(self.proxy), iter(range(10**9))
        def attempt():
            path = paths[next(turn) % len(paths)]
            status, _, body = client.request("GET", path, headers)
            return None if status == 200 and body else f"{path}: {status}"
        self.run(kind, pause, attempt)

    def session(self, username, password, pause):
        """Logs in, and reads a page that only a valid login session may see."""
        client = client_of_proxy(self.proxy)
        client.open_form("/sign-in")
        status, headers, _ = client.submit("/sign-in", {"username": username, "password": password})
        if (status, headers["Location"]) != (303, "/dashboard"):
            raise SystemExit(f"sign-in: {status}")
        def attempt():
            status, _, _ = client.request("GET", "/dashboard")
            # Without a session it leads to the sign-in page.
            return {200: None, 303: LOST}.get(status, f"/dashboard: {status}")
        self.run("session", pause, attempt)
        return client

    def bounded_calls(self, pause):
        """Uses up the `bounded_key`, which has a low limit and changes from time to time."""
        client = client_of_proxy(self.proxy)
        def attempt():
            counts = self.calls[self.bounded_key]
            counts["sent"] += 1
            status, _, _ = client.request("GET", "/v1/servers", {"X-API-Key": self.bounded_key})
            counts[status] += 1
            return None if status in (200, 429) else f"bounded: {status}"
        self.run("bounded", pause, attempt)

    def votes(self, slugs, pause):
        """Each vote has a name and an address of its own. A redirect acknowledges it."""
        form = client_of_proxy(self.proxy)
        form.open_form(f"/servers/{slugs[0]}/vote")
        turn = iter(range(10**9))
        def attempt():
            number = next(turn)
            name, slug = f"voter_{number}", slugs[number % len(slugs)]
            voter = client_of_proxy(self.proxy, source=f"127.1.{number // 250 % 250}.{1 + number % 250}")
            voter.cookies, voter.token = form.cookies, form.token
            self.tried.add(name)
            try:
                status, headers, _ = voter.submit(f"/servers/{slug}/vote", {"nickname": name})
            finally:
                voter.close()
            if status == 303 and headers["Location"] == f"/servers/{slug}/vote?done=voted":
                self.acknowledged.add(name)
                return None
            return f"vote: {status}"
        self.run("vote", pause, attempt)
