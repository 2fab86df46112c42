"""Asks every server twice, by our program and by mcstatus, and wants the same answers, field by field.

Usage: judge.py PROGRAM STARTER...
Each starter is a command line that prints a list of servers and lives until its input ends.
"""

import base64
import json
import shlex
import subprocess
import sys

from mcstatus import BedrockServer, JavaServer
from mcstatus.motd.components import JavaFormatting, JavaMinecraftColor, WebColor
from mcstatus.server import LegacyServer

HOST = "127.0.0.1"
COLORS = {color.value: color.name.lower() for color in JavaMinecraftColor}
STYLES = {style.value: style.name.lower() for style in JavaFormatting if style is not JavaFormatting.RESET}

program = sys.argv[1]
faults = []
compared = 0


def same(what, ours, theirs):
    global compared
    compared += 1
    if ours != theirs:
        faults.append(f"{what}: {ours!r} is not {theirs!r}")


def ask(server, form=None):
    command = [program, "server", "ping", f"{HOST}:{server['port']}", "--edition", server["edition"]]
    command += ["--form", form] if form else []
    done = subprocess.run(command + ["--allow-private-addresses", "--json"], capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        faults.append(f"{server['name']} ({form or server['edition']}): {done.stderr.strip() or done.stdout.strip()}")
        return None
    return json.loads(done.stdout)


def picture(text):
    """The bytes, since some break lines within the text."""
    return text and base64.b64decode("".join(text.removeprefix("data:image/png;base64,").split()))


def trimmed(text):
    return "\n".join(line.strip() for line in text.split("\n"))


def looks_of_codes(raw):
    """Each visible character with its colour and styles. Our own reading of what motdRaw promises."""
    looks, color, styles, place = [], None, set(), 0
    while place < len(raw):
        if raw[place] != "§" or place + 1 == len(raw):
            looks += [(raw[place], color, tuple(sorted(styles)))] if not raw[place].isspace() else []
            place += 1
            continue
        code = raw[place + 1].lower()
        digits = raw[place + 2 : place + 14]
        place += 2
        if code == "x" and len(digits) == 12 and digits[::2] == "§" * 6:
            color, styles = "#" + digits[1::2].lower(), set()
            place += 12
        elif code == "r":
            color, styles = None, set()
        elif code in COLORS:
            color, styles = COLORS[code], set()
        elif code in STYLES:
            styles = styles | {STYLES[code]}
    return looks


def looks_of_mcstatus(motd):
    looks, color, styles = [], None, set()
    for part in motd.parsed:
        if isinstance(part, str):
            looks += [(c, color, tuple(sorted(styles))) for c in part if not c.isspace()]
        elif isinstance(part, WebColor):
            color, styles = part.hex, set()
        elif isinstance(part, JavaMinecraftColor):
            color, styles = part.name.lower(), set()
        elif part is JavaFormatting.RESET:
            color, styles = None, set()
        elif isinstance(part, JavaFormatting):
            styles = styles | {part.name.lower()}
    return looks


def looks_by_hand(styles):
    return [(c, color, tuple(sorted(on))) for text, color, on in styles for c in text]


def compare(server, form, ours, theirs):
    """What mcstatus read must be what the server was told, and what we read must be the same."""
    name = f"{server['name']} ({form})"
    for field, value in theirs.items():
        if field in server["told"] and field != "icon":
            same(f"{name}: {field} as mcstatus has it", value, server["told"][field])
        if ours is not None:
            same(f"{name}: {field}", picture(ours[field]) if field == "icon" else ours[field], value)
    if ours is not None:
        same(f"{name}: edition", ours["edition"], server["edition"])
        same(f"{name}: address", ours["address"], f"{HOST}:{server['port']}")
        same(f"{name}: latency is a number", isinstance(ours["latency"], (int, float)) and ours["latency"] >= 0, True)


def judge_java(server):
    status = JavaServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "sample": [{"name": player.name, "uuid": player.id} for player in status.players.sample or []],
        "motd": trimmed(status.motd.to_plain()),
        "icon": picture(status.icon),
    }
    same(f"{server['name']}: icon as mcstatus has it", theirs["icon"], picture(server["told"]["icon"]))
    ours = ask(server, "modern")
    compare(server, "modern", ours, theirs)
    if ours is not None:
        same(f"{server['name']}: form", ours["form"], "modern")
        styles = server.get("styles")
        expected = looks_by_hand(styles) if styles else looks_of_mcstatus(status.motd)
        same(f"{server['name']}: looks of the MOTD", looks_of_codes(ours["motdRaw"]), expected)


def judge_legacy(server):
    status = LegacyServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "motdRaw": status.motd.raw,
    }
    same(f"{server['name']} (legacy): MOTD as mcstatus has it", status.motd.raw, server["legacyMotd"])
    for form in ["1.6", "1.4"]:
        compare(server, form, ask(server, form), theirs)
    # mcstatus does not ask in this form; the server itself says what it was told.
    ours = ask(server, "beta")
    if ours is not None:
        name = f"{server['name']} (beta)"
        same(f"{name}: version", ours["version"] or "", "")
        same(f"{name}: players", ours["players"], server["told"]["players"])
        same(f"{name}: maxPlayers", ours["maxPlayers"], server["told"]["maxPlayers"])
        same(f"{name}: motdRaw", ours["motdRaw"], server.get("betaMotd", server["legacyMotd"]))


def judge_bedrock(server):
    status = BedrockServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "motdRaw": f"{status.motd.raw}\n{status.map_name}",
    }
    compare(server, "bedrock", ask(server), theirs)


def judge_query(server):
    """Our program asks for lists only beside a game; this judges our simulated host."""
    told = JavaServer(HOST, server["port"], query_port=server["port"]).query()
    theirs = {
        "version": told.software.version,
        "players": told.players.online,
        "maxPlayers": told.players.max,
        "motdRaw": told.motd.raw,
        "names": told.players.list,
    }
    compare(server, "query", None, theirs)


def started(command):
    process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line:
        sys.exit(f"{command} did not start")
    return process, json.loads(line)


processes = []
try:
    servers = []
    for command in sys.argv[2:]:
        process, some = started(command)
        processes.append(process)
        servers += some
    for server in servers:
        if server["edition"] == "java":
            judge_java(server)
            judge_legacy(server)
        elif server["edition"] == "bedrock":
            judge_bedrock(server)
        else:
            judge_query(server)
finally:
    for process in processes:
        process.stdin.close()
        process.wait(timeout=20)

for fault in faults:
    print(fault, file=sys.stderr)
if faults:
    sys.exit(f"{len(faults)} faults in {compared} comparisons")
print(f"{len(servers)} servers, {compared} comparisons: all the same")
