"""Prints a line whenever the state or the players of a server change. Needs Python 3.9 or later, no packages.

    ROLLCALL_KEY=rc_… python3 watch_server.py SLUG [--checks N]
"""

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("ROLLCALL_URL", "http://127.0.0.1:8080/v1")
DEFAULT_MAX_AGE = 30


class Watcher:
    """Asks again when the last answer has expired, and only for changes."""

    def __init__(self, slug, key):
        self.url = f"{BASE}/servers/{urllib.parse.quote(slug, safe='')}"
        self.key = key
        self.etag = None
        self.wait = 0

    def check(self):
        """The server, or None if nothing has changed."""
        headers = {"X-API-Key": self.key}
        if self.etag:
            headers["If-None-Match"] = self.etag
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url, headers=headers), timeout=30) as response:
                self.etag = response.headers["ETag"]
                self.wait = max_age(response.headers)
                return json.load(response)["data"]["server"]
        except urllib.error.HTTPError as error:
            if error.code == 304:
                self.wait = max_age(error.headers)
                return None
            if error.code in (429, 503):
                self.wait = int(error.headers["Retry-After"])
                return None
            raise SystemExit(f"{error.code}: {json.load(error)['error']}") from None


def max_age(headers):
    found = re.search(r"max-age=(\d+)", headers.get("Cache-Control", ""))
    return int(found.group(1)) if found else DEFAULT_MAX_AGE


def describe(server):
    if not server["isOnline"]:
        return f"{server['name']} is offline"
    return f"{server['name']}: {server['currentPlayers']} of {server['maxPlayers']} players, {server['version']}"


def main():
    parser = argparse.ArgumentParser(description="Watches a server.")
    parser.add_argument("slug")
    parser.add_argument("--checks", type=int, default=0, help="stop after this many checks; 0 is never")
    options = parser.parse_args()
    key = os.environ.get("ROLLCALL_KEY")
    if not key:
        sys.exit("Set ROLLCALL_KEY to your API key.")
    watcher, last, checks = Watcher(options.slug, key), None, 0
    while True:
        server = watcher.check()
        line = describe(server) if server else last
        if line != last:
            print(line, flush=True)
            last = line
        checks += 1
        if checks == options.checks:
            return
        time.sleep(watcher.wait)


if __name__ == "__main__":
    main()
