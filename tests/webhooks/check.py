"""Lets a running program send webhooks to receivers that use `standardwebhooks` of npm and PyPI: `python check.py PROGRAM`."""

import html
import http.cookiejar
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import queue
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

PROGRAM = sys.argv[1]
HERE = Path(__file__).parent
PASSWORD = "seven quiet lanterns drift"
SECONDS = 60


class Lines:
    """The output of a process, line by line."""

    def __init__(self, process):
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(process.stdout,), daemon=True).start()

    def read(self, stream):
        for line in stream:
            self.lines.put(line.rstrip("\n"))

    def next(self):
        return self.lines.get(timeout=SECONDS)


class Receiver:
    def __init__(self, name, command):
        self.name = name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [*command, str(self.port)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = Lines(self.process)
        self.expect("listening")

    def expect(self, pattern):
        line = self.lines.next()
        if not re.fullmatch(pattern, line):
            sys.exit(f"{self.name} says {line!r} and not {pattern!r}")
        return line

    def use(self, secret):
        self.process.stdin.write(secret + "\n")
        self.process.stdin.flush()
        self.expect("secret taken")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    def __init__(self, base):
        self.base = base
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(NoRedirect, cookies)
        self.page = ""

    def open(self, path, fields=None):
        data = urllib.parse.urlencode({"token": self.field("token"), **fields}).encode() if fields is not None else None
        request = urllib.request.Request(self.base + path, data, {"Origin": self.base})
        try:
            response = self.opener.open(request, timeout=SECONDS)
        except urllib.error.HTTPError as error:
            response = error
        self.page = response.read().decode()
        if response.status not in (200, 303):
            sys.exit(f"{path} answers {response.status}: {self.page}")
        return response.headers.get("location") or self.page

    def field(self, name):
        found = re.search(rf'name="{name}" value="([^"]*)"', self.page)
        if not found:
            sys.exit(f"no field {name} in {self.page}")
        return html.unescape(found[1])

    def secret(self):
        return html.unescape(re.search(r'<code id="secret">([^<]*)</code>', self.page)[1])


def rollcall(folder, *arguments, **options):
    done = subprocess.run([PROGRAM, *arguments, "--data", folder], check=True, capture_output=True, text=True, **options)
    return done.stdout


def main():
    receivers = [
        Receiver("standardwebhooks of npm", ["node", str(HERE / "receiver.mjs")]),
        Receiver("standardwebhooks of PyPI", [sys.executable, str(HERE / "receiver.py")]),
    ]
    settings = {"ROLLCALL_VOTING_HUMAN_CHECK": "off", "ROLLCALL_TRACKER_PING_INTERVAL": "off"}
    with tempfile.TemporaryDirectory() as folder:
        rollcall(folder, "seed", "--servers", "3", "--players", "5", "--votes", "10")
        rollcall(folder, "account", "create", "ada", "--password-stdin", "--permanent", input=PASSWORD + "\n")
        serve = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--allow-private-addresses", "--data", folder]
        log = open(Path(folder) / "log", "w")
        program = subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **settings})
        try:
            base = Lines(program).next().removeprefix("Listening on ")
            check(base, receivers)
        finally:
            program.terminate()
            program.wait()
            for receiver in receivers:
                receiver.process.kill()


def check(base, receivers):
    browser = Browser(base)
    browser.open("/sign-in")
    browser.open("/sign-in", {"username": "ada", "password": PASSWORD})
    hooks = {}
    for receiver in receivers:
        browser.open("/dashboard/webhooks")
        fields = {"name": receiver.name, "url": f"http://127.0.0.1:{receiver.port}/{receiver.name[-3:]}", "format": "standard"}
        fields |= {"type vote.created": "yes", "scope": "all", "id": browser.field("id")}
        hooks[receiver.name] = fields["id"]
        browser.open("/dashboard/webhooks", fields)
        receiver.use(browser.secret())
        hook = f"/dashboard/webhooks/{fields['id']}"
        browser.open(hook)
        if "The test arrived" not in browser.open(f"{hook}/test", {}):
            sys.exit(f"the test failed: {browser.page}")
        receiver.expect(r"verified /\w+ test_\w+ webhook\.test")
    list_page = browser.open("/servers")
    slug = re.search(r'href="/servers/([^"/?#]+)"', list_page)[1]
    vote(browser, slug, "Ada")
    told = {receiver.expect(r"verified /\w+ [0-9a-f]{14} vote\.created").split()[2] for receiver in receivers}
    if len(told) != 1:
        sys.exit(f"one event has several ids: {told}")
    for receiver in receivers:
        hook = f"/dashboard/webhooks/{hooks[receiver.name]}"
        browser.open(f"{hook}/settings")
        browser.open(f"{hook}/rotate", {"version": browser.field("version")})
        secret = browser.secret()
        browser.open(hook)
        # The old secret still signs; then the receiver changes to the new one.
        for secret in (None, secret):
            if secret:
                receiver.use(secret)
            browser.open(f"{hook}/test", {})
            receiver.expect(r"verified /\w+ test_\w+ webhook\.test")
    print("standardwebhooks of npm and of PyPI verify the signatures of tests and events, also during a rotation")


def vote(browser, slug, name):
    path = f"/servers/{slug}/vote"
    browser.open(path)
    browser.open(path, {"nickname": name})


main()
