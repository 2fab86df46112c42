"""Nodes of the service on loopback, over one database."""

import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

HOST = "stats.example.org"
START_TIMEOUT = 180
STOP_TIMEOUT = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, condition, timeout=START_TIMEOUT):
    """Polls until the condition holds, and returns its value."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise SystemExit(f"timed out: {what}")


class Node:
    """`rollcall serve` on a port that stays the same over restarts."""

    def __init__(self, binary, name, folder, settings):
        self.binary = binary
        self.name = name
        self.port = free_port()
        self.log = pathlib.Path(folder, f"{name}.log")
        self.data = pathlib.Path(folder, name)
        self.data.mkdir()
        clean = {key: value for key, value in os.environ.items() if not key.startswith("ROLLCALL_")}
        self.environment = {**clean, **settings,
                            "ROLLCALL_DATA": str(self.data), "ROLLCALL_LISTEN": f"127.0.0.1:{self.port}"}
        self.process = None

    def command(self):
        return [self.binary, "serve"]

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), env=self.environment, stdout=log, stderr=log)
        until(f"{self.name} is ready", lambda: self.has_not_ended() and self.is_ready())

    def has_not_ended(self):
        if self.process.poll() is not None:
            raise SystemExit(f"{self.name} ended:\n{self.log.read_text()[-4000:]}")
        return True

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as response:
                return response.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, at_once=False):
        """SIGTERM, and waits for the end. A second one ends the shutdown delay."""
        self.process.send_signal(signal.SIGTERM)
        if at_once:
            until(f"{self.name} is stopping", lambda: not self.is_ready())
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOP_TIMEOUT)
        if status != 0:
            raise SystemExit(f"{self.name} ended with {status}:\n{self.log.read_text()[-4000:]}")

    def set(self, variable, value):
        """Changes a setting, at once."""
        self.environment[variable] = value
        self.stop(at_once=True)
        self.start()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def run(self, *arguments, given=None):
        """A command on the same store, with this standard input."""
        done = subprocess.run([self.binary, *arguments], env=self.environment, capture_output=True, text=True, input=given)
        if done.returncode != 0:
            raise SystemExit(f"rollcall {' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()

    def request(self, path, headers=()):
        """The status and body of a request past the proxy, over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers={"Host": HOST, **dict(headers)})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def clients(self, path):
        """The client IPs of logged requests for a path."""
        lines = [line for line in self.log.read_text().splitlines() if path in line]
        return re.findall(r'"client":"([^"]+)"', "\n".join(lines))
