"""The services of compose.yaml as processes: its settings, its Caddyfile, the command and health check of the Dockerfile.

Usage: compose.py BINARY RESOLVED, where RESOLVED is what `docker-compose config` prints.
Needs TEST_POSTGRES_URL, and root for a read-only root file system. The S3 store is left out: pictures stay in the data folder.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from database import create_database
from nodes import Node, until
from samples import HOST, Caddy, Certificate

ROOT = pathlib.Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
binary, resolved = sys.argv[1:]
services = yaml.safe_load(pathlib.Path(resolved).read_text())["services"]


def instruction(name):
    """The last one of this name, with its JSON array or its text."""
    return re.findall(rf"^{name} +(.*)$", DOCKERFILE, re.MULTILINE)[-1]


USER_ID = re.search(r"--uid (\d+)", DOCKERFILE).group(1)
HEALTH_CHECK = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
COMMAND = json.loads(instruction("ENTRYPOINT")) + json.loads(instruction("CMD"))


class ContainerProcess(Node):
    """A node with the settings of its service, as the user of the image, on a read-only root file system."""

    def __init__(self, name, folder, database):
        settings = dict(services[name]["environment"])
        assert re.match(r"postgres://rollcall:[^@]+@postgres/rollcall\?sslmode=disable$", settings["ROLLCALL_DATABASE"]), settings
        settings = {key: value for key, value in settings.items() if not key.startswith("ROLLCALL_MEDIA_")}
        settings |= {"ROLLCALL_DATABASE": database, "ROLLCALL_HTTP_TRUSTED_PROXIES": "127.0.0.1"}
        super().__init__(binary, name, folder, settings)
        os.chown(self.data, int(USER_ID), int(USER_ID))
        self.is_read_only = services[name]["read_only"]

    def command(self):
        program = [binary if word == "/usr/bin/rollcall" else word for word in COMMAND]
        drop = ["setpriv", f"--reuid={USER_ID}", f"--regid={USER_ID}", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
        mounts = f"mount --bind {self.data} {self.data} && mount -o remount,ro,bind / && exec \"$@\""
        return ["unshare", "--mount", "sh", "-c", mounts, "sh", *drop, *program]

    def is_healthy(self):
        command = [word.replace(":8080", f":{self.port}") for word in HEALTH_CHECK]
        return subprocess.run(command).returncode == 0


class ComposeCaddy(Caddy):
    samples = ROOT / "packaging" / "compose"
    upstreams = ("api1:8080", "api2:8080")

    def environment(self):
        return {**super().environment(), "SITE_HOST": services["caddy"]["environment"]["SITE_HOST"]}


def check(what, actual, expected):
    if actual != expected:
        raise SystemExit(f"FAIL  {what}: expected {expected!r}, got {actual!r}")
    print(f"ok    {what}", flush=True)


def run(nodes, caddy):
    for node in nodes.values():
        node.start()
        check(f"{node.name}: healthy on a read-only root file system", (node.is_healthy(), node.is_read_only), (True, True))
        roles = "tracker" if node.name == "tracker" else "api, web"
        check(f"{node.name}: {roles}", f"{roles}" in next(line for line in node.log.read_text().splitlines() if "serving" in line), True)
    caddy.start()
    check("Caddy: a page", caddy.get("/").status, 200)
    key = nodes["tracker"].run("key", "create", "--name", "compose")
    until("a key of one node is known to the others",
          lambda: caddy.get("/v1/servers", headers=[f"X-API-Key: {key}"]).status == 200)
    print("ok    Caddy: an API call with a key that another node has created")
    nodes["api1"].stop()
    check("Caddy: a page while a node is stopped", caddy.get("/").status, 200)


def main():
    database, drop_database = create_database(os.environ["TEST_POSTGRES_URL"])
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        nodes = {name: ContainerProcess(name, folder, database) for name in ("tracker", "api1", "api2")}
        caddy = ComposeCaddy(folder, [nodes["api1"], nodes["api2"]], Certificate(folder))
        check("the host of the site", services["caddy"]["environment"]["SITE_HOST"], HOST)
        try:
            run(nodes, caddy)
        finally:
            for process in [caddy, *nodes.values()]:
                process.end()
            drop_database()


main()
