"""Pings every server with our program and with mcstatus and compares the results field by field.

Usage: compare.py PROGRAM COMMAND...
Each command starts servers, prints them as one line of JSON, and runs until its standard input closes.
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
mismatches = []
comparisons = 0


def expect_equal(what, ours, theirs):
    global comparisons
    comparisons += 1
    if ours != theirs:
        mismatches.append(f"{what}: {ours!r} is not {theirs!r}")


def ping(server, form=None):
    command = [program, "server", "ping", f"{HOST}:{server['port']}", "--edition", server["edition"]]
    command += ["--form", form] if form else []
    result = subprocess.run(command + ["--allow-private-addresses", "--json"], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        mismatches.append(f"{server['name']} ({form or server['edition']}): {result.stderr.strip() or result.stdout.strip()}")
        return None
    return json.loads(result.stdout)


def decode_icon(text):
    """The bytes: some servers break lines within the base64 text."""
    return text and base64.b64decode("".join(text.removeprefix("data:image/png;base64,").split()))


def trim_lines(text):
    return "\n".join(line.strip() for line in text.split("\n"))


def styles_of_codes(raw):
    """Each visible character with its colour and styles, from the formatting codes of motdRaw."""
    characters, color, styles, index = [], None, set(), 0
    while index < len(raw):
        if raw[index] != "§" or index + 1 == len(raw):
            characters += [(raw[index], color, tuple(sorted(styles)))] if not raw[index].isspace() else []
            index += 1
            continue
        code = raw[index + 1].lower()
        digits = raw[index + 2 : index + 14]
        index += 2
        if code == "x" and len(digits) == 12 and digits[::2] == "§" * 6:
            color, styles = "#" + digits[1::2].lower(), set()
            index += 12
        elif code == "r":
            color, styles = None, set()
        elif code in COLORS:
            color, styles = COLORS[code], set()
        elif code in STYLES:
            styles = styles | {STYLES[code]}
    return characters


def styles_of_mcstatus(motd):
    characters, color, styles = [], None, set()
    for part in motd.parsed:
        if isinstance(part, str):
            characters += [(c, color, tuple(sorted(styles))) for c in part if not c.isspace()]
        elif isinstance(part, WebColor):
            color, styles = part.hex, set()
        elif isinstance(part, JavaMinecraftColor):
            color, styles = part.name.lower(), set()
        elif part is JavaFormatting.RESET:
            color, styles = None, set()
        elif isinstance(part, JavaFormatting):
            styles = styles | {part.name.lower()}
    return characters


def expected_styles(styles):
    return [(c, color, tuple(sorted(on))) for text, color, on in styles for c in text]


def compare(server, form, ours, theirs):
    """mcstatus must read what the server was configured to report, and we must read the same."""
    name = f"{server['name']} ({form})"
    for field, value in theirs.items():
        if field in server["expected"] and field != "icon":
            expect_equal(f"{name}: {field} as read by mcstatus", value, server["expected"][field])
        if ours is not None:
            expect_equal(f"{name}: {field}", decode_icon(ours[field]) if field == "icon" else ours[field], value)
    if ours is not None:
        expect_equal(f"{name}: edition", ours["edition"], server["edition"])
        expect_equal(f"{name}: address", ours["address"], f"{HOST}:{server['port']}")
        expect_equal(f"{name}: latency is a number", isinstance(ours["latency"], (int, float)) and ours["latency"] >= 0, True)


def check_java(server):
    status = JavaServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "sample": [{"name": player.name, "uuid": player.id} for player in status.players.sample or []],
        "motd": trim_lines(status.motd.to_plain()),
        "icon": decode_icon(status.icon),
    }
    expect_equal(f"{server['name']}: icon as read by mcstatus", theirs["icon"], decode_icon(server["expected"]["icon"]))
    ours = ping(server, "modern")
    compare(server, "modern", ours, theirs)
    if ours is not None:
        expect_equal(f"{server['name']}: form", ours["form"], "modern")
        styles = server.get("styles")
        expected = expected_styles(styles) if styles else styles_of_mcstatus(status.motd)
        expect_equal(f"{server['name']}: MOTD styles", styles_of_codes(ours["motdRaw"]), expected)


def check_legacy(server):
    status = LegacyServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "motdRaw": status.motd.raw,
    }
    expect_equal(f"{server['name']} (legacy): MOTD as read by mcstatus", status.motd.raw, server["legacyMotd"])
    for form in ["1.6", "1.4"]:
        compare(server, form, ping(server, form), theirs)
    # mcstatus has no beta ping: compare with what the server was configured to report.
    ours = ping(server, "beta")
    if ours is not None:
        name = f"{server['name']} (beta)"
        expect_equal(f"{name}: version", ours["version"] or "", "")
        expect_equal(f"{name}: players", ours["players"], server["expected"]["players"])
        expect_equal(f"{name}: maxPlayers", ours["maxPlayers"], server["expected"]["maxPlayers"])
        expect_equal(f"{name}: motdRaw", ours["motdRaw"], server.get("betaMotd", server["legacyMotd"]))


def check_bedrock(server):
    status = BedrockServer(HOST, server["port"]).status()
    theirs = {
        "version": status.version.name,
        "protocol": status.version.protocol,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "motdRaw": f"{status.motd.raw}\n{status.map_name}",
    }
    compare(server, "bedrock", ping(server), theirs)


def check_query(server):
    """Our program queries only together with a ping, so this checks our fake Query server alone."""
    status = JavaServer(HOST, server["port"], query_port=server["port"]).query()
    theirs = {
        "version": status.software.version,
        "players": status.players.online,
        "maxPlayers": status.players.max,
        "motdRaw": status.motd.raw,
        "names": status.players.list,
    }
    compare(server, "query", None, theirs)


def start(command):
    process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line:
        sys.exit(f"{command} did not start")
    return process, json.loads(line)


processes = []
try:
    servers = []
    for command in sys.argv[2:]:
        process, started = start(command)
        processes.append(process)
        servers += started
    for server in servers:
        if server["edition"] == "java":
            check_java(server)
            check_legacy(server)
        elif server["edition"] == "bedrock":
            check_bedrock(server)
        else:
            check_query(server)
finally:
    for process in processes:
        process.stdin.close()
        process.wait(timeout=120)

for mismatch in mismatches:
    print(mismatch, file=sys.stderr)
if mismatches:
    sys.exit(f"{len(mismatches)} mismatches in {comparisons} comparisons")
print(f"{len(servers)} servers, {comparisons} comparisons, no mismatch")
