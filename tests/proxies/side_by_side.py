"""The previous release and this program over one PostgreSQL store at the same time, as during a rolling upgrade.

Usage: side_by_side.py PREVIOUS BINARY
Needs TEST_POSTGRES_URL: a PostgreSQL whose user may create databases.
"""

import json
import os
import subprocess
import sys
import tempfile

from database import create_database, query
from game_servers import GameServer
from http_client import client_of_node
from nodes import HOST, Node, until

SEED = ["seed", "--servers", "50", "--players", "500", "--votes", "500", "--sessions", "1000"]
ENDPOINTS = ["/servers", "/servers/top", "/servers/countries", "/servers/versions", "/players", "/leaderboards",
             "/leaderboards?metric=sessions&period=7d", "/search?q=an", "/live", "/skins", "/capes"]
OF_A_SERVER = ["", "/voters", "/reviews", "/updates"]
QUOTA = 200
NEWEST = 999
REFUSAL = "the schema of the store is newer than this program"
failures = []


def check(what, is_right, found=""):
    if not is_right:
        failures.append(what)
    print(f"{'ok   ' if is_right else 'FAIL '} {what}{f': {found}' if found != '' else ''}", flush=True)


class Versions:
    """A node of each version. They differ in nothing else."""

    def __init__(self, folder, database, binaries):
        settings = {
            "ROLLCALL_DATABASE": database,
            "ROLLCALL_PUBLIC_URL": f"http://{HOST}",
            "ROLLCALL_TRACKER_PING_INTERVAL": "5s",
            "ROLLCALL_TRACKER_ALLOW_PRIVATE_ADDRESSES": "true",
            "ROLLCALL_VOTING_HUMAN_CHECK": "off",
        }
        self.old, self.new = (Node(binary, name, folder, settings) for binary, name in zip(binaries, ("previous", "current")))
        self.both = [(self.old, self.new), (self.new, self.old)]

    def answer(self, node, path):
        status, body = node.request(f"/v1{path}", {"X-API-Key": self.key})
        return status, json.loads(body)

    def agree(self, what, path):
        """What changes meanwhile, both see a moment later."""
        def is_same():
            (status, old), (_, new) = (self.answer(node, path) for node in (self.old, self.new))
            return status == 200 and without_clock(old) == without_clock(new)
        until(f"{what}: both versions answer {path} alike", is_same)


def check_answers(versions, before):
    slug = before["/servers"]["data"]["servers"][0]["slug"]
    player = before["/players"]["data"]["players"][0]["id"]
    paths = [*ENDPOINTS, *(f"/servers/{slug}{rest}" for rest in OF_A_SERVER), f"/players/{player}"]
    for path in paths:
        versions.agree("after the migration", path)
    check("both versions give the same answers", True, f"{len(paths)} paths")
    changed = [path for path in ENDPOINTS if keys(versions.answer(versions.old, path)[1]) != keys(before[path])]
    check("the previous version gives the answers that it gave before", not changed, ", ".join(changed))


def without_clock(value):
    """Each node computes these on its own, at another moment."""
    if isinstance(value, dict):
        return {name: without_clock(value[name]) for name in value if name not in ("generatedAt", "hotScore")}
    return [without_clock(entry) for entry in value] if isinstance(value, list) else value


def keys(value):
    """The shape of an answer, and the ids in it: figures change with time."""
    if isinstance(value, dict):
        return {name: value[name] if name in ("id", "slug") else keys(value[name]) for name in value}
    if isinstance(value, list):
        return [keys(entry) for entry in value]
    return None


def check_writes(versions):
    for writer, reader in versions.both:
        key = writer.run("key", "create", "--name", f"of-{writer.name}")
        until("a new key is known", lambda: reader.request("/v1/live", {"X-API-Key": key})[0] == 200)
        check(f"{reader.name}: accepts a key of {writer.name}", True)
        game = GameServer(1)
        slug = writer.run("server", "add", f"127.0.0.1:{game.port}", "--name", f"Added by {writer.name}")
        path = f"/servers/{slug}"
        until("a new server is listed", lambda: versions.answer(reader, path)[0] == 200)
        until("it is pinged", lambda: versions.answer(reader, path)[1]["data"]["server"]["isOnline"])
        check(f"{reader.name}: shows a server of {writer.name}, online", True)
        voter = client_of_node(writer)
        voter.open_form(f"/servers/{slug}/vote")
        status, _, _ = voter.submit(f"/servers/{slug}/vote", {"nickname": f"by_{writer.name}"})
        until("the vote counts", lambda: versions.answer(reader, path)[1]["data"]["server"]["totalVotes"] == 1)
        check(f"{reader.name}: counts a vote that {writer.name} took", status == 303, status)
        password = "correct horse battery staple"
        writer.run("account", "create", f"user-{writer.name}", "--password-stdin", "--permanent", given=password + "\n")
        user = client_of_node(writer)
        user.open_form("/sign-in")
        user.submit("/sign-in", {"username": f"user-{writer.name}", "password": password})
        cookies = "; ".join(f"{name}={value}" for name, value in user.cookies.items())
        status, _ = reader.request("/dashboard", {"Cookie": cookies})
        check(f"{reader.name}: knows a login session of {writer.name}", status == 200, status)
        writer.run("server", "remove", slug, "--yes")
        until("it disappears", lambda: versions.answer(reader, path)[0] == 404)
        check(f"{reader.name}: forgets a server that {writer.name} deleted", True)


def check_quota(versions):
    limits = ["--per-minute", "100000", "--per-day", "100000", "--per-month", str(QUOTA)]
    key = versions.new.run("key", "create", "--name", "bounded", *limits)
    used = 0
    for node in (versions.old, versions.new):
        until("the key is known", lambda: node.request("/v1/live", {"X-API-Key": key})[0] == 200)
        used += 1
    for number in range(2 * QUOTA):
        used += versions.both[number % 2][0].request("/v1/live", {"X-API-Key": key})[0] == 200
    check("a quota is exact over both versions", used == QUOTA, f"{used} of {QUOTA}")


def check_refusal(versions, database):
    """A store that a later version made unusable for older ones."""
    old = versions.old
    query(database, f"insert into migrations (number) values ({NEWEST})")
    old.stop()
    old.start()
    check("previous: starts on a store with migrations that it may ignore", True)
    query(database, f"update schema_compatibility set oldest_program = {NEWEST}")
    status, body = until("it is not ready", lambda: (lambda reply: reply if reply[0] == 503 else None)(old.request("/readyz")))
    check("previous: is not ready on a store that is too new", REFUSAL in body.decode(), body.decode().strip())
    old.stop()
    done = subprocess.run([old.binary, "serve"], env=old.environment, capture_output=True, text=True, timeout=60)
    check("previous: refuses to start on it, with status 2", (done.returncode, REFUSAL in done.stderr) == (2, True), done.stderr.strip())


def run(versions, database):
    old, new = versions.old, versions.new
    old.run(*SEED)
    versions.key = old.run("key", "create", "--name", "side-by-side", *(f"--per-{span}=1000000" for span in ("minute", "day", "month")))
    old.start()
    before = {path: versions.answer(old, path)[1] for path in ENDPOINTS}
    [[schema]] = query(database, "select max(number) from migrations where number < 1000")
    new.start()
    [[migrated]] = query(database, "select max(number) from migrations where number < 1000")
    print(f"      schema {schema} of the previous version, now {migrated}", flush=True)
    status, body = old.request("/readyz")
    if status == 503 and REFUSAL in body.decode():
        check("previous: says that it cannot work with the new schema", True, body.decode().strip())
        return
    check_answers(versions, before)
    check_writes(versions)
    check_quota(versions)
    check_refusal(versions, database)


def main():
    database, drop_database = create_database(os.environ["TEST_POSTGRES_URL"])
    with tempfile.TemporaryDirectory() as folder:
        versions = Versions(folder, database, sys.argv[1:])
        try:
            run(versions, database)
        finally:
            versions.old.end()
            versions.new.end()
            drop_database()
    if failures:
        raise SystemExit(f"{len(failures)} checks failed")


main()
