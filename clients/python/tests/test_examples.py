"""The example programs run against the service."""

import csv
import os
import subprocess
import sys
import unittest
from pathlib import Path

from rollcall_client import RollcallClient
from service import BASE_URL, ROOMY, known_key

GUIDE = Path(__file__).parent.parent.parent.parent / "docs/guides/clients.md"
PROGRAM = Path(__file__).parent.parent / "examples/history_csv.py"


class ExamplesTest(unittest.TestCase):
    def test_the_export_has_every_point_of_every_server(self):
        key, _ = known_key(*ROOMY)
        rollcall = RollcallClient(BASE_URL, key)
        oldest = sorted(rollcall.iter_servers(), key=lambda server: server["createdAt"])[:2]
        slugs = [server["slug"] for server in oldest]
        start = rollcall.server_history(slugs[0], from_="2020-01-01", resolution="1d")["points"][0]["at"]
        # A range that has ended: its points do not change.
        end = rollcall.server_history(slugs[0])["to"][:10]

        def run(*given):
            environment = os.environ | {"ROLLCALL_URL": BASE_URL, "ROLLCALL_KEY": key}
            return subprocess.run([sys.executable, str(PROGRAM), *given], env=environment, capture_output=True, text=True, check=False)

        done = run(*slugs, "--from", start, "--to", end, "--resolution", "1h")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        header, *rows = csv.reader(done.stdout.splitlines())
        self.assertEqual(header, ["server", "at", "coverage", "players", "peak", "low", "uptime", "latency", "tps"])
        expected = [
            [slug, point["at"], str(point["coverage"]), *(str(point["players"][key]) for key in ("avg", "peak", "low")), str(point["uptime"])]
            for slug in slugs
            for point in rollcall.iter_server_history(slug, from_=start, to=end, resolution="1h")
        ]
        self.assertEqual([row[:7] for row in rows], expected)
        # More than one page of 2,000.
        self.assertGreater(sum(row[0] == slugs[0] for row in rows), 2_000)

        missing = run("nothing-has-this-slug")
        self.assertEqual((missing.returncode, missing.stderr), (1, "404: Server not found\n"))

        # A reader that has enough, such as `head`, is no error to tell of.
        environment = os.environ | {"ROLLCALL_URL": BASE_URL, "ROLLCALL_KEY": key}
        command = [sys.executable, str(PROGRAM), *slugs, "--from", start, "--to", end, "--resolution", "1h"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b"")
        self.assertEqual(program.returncode, 1)

    def test_the_export_says_which_setting_is_missing(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ROLLCALL_")}
        for given, message in [
            ({}, "Set ROLLCALL_URL, such as ROLLCALL_URL=https://stats.example.org/v1\n"),
            ({"ROLLCALL_URL": BASE_URL}, "Set ROLLCALL_KEY, such as ROLLCALL_KEY=rc_…\n"),
        ]:
            done = subprocess.run([sys.executable, str(PROGRAM), "a"], env=environment | given, capture_output=True, encoding="utf-8", check=False)
            self.assertEqual((done.returncode, done.stderr), (1, message))

    def test_the_program_of_the_guide_runs_as_it_is(self):
        key, _ = known_key(*ROOMY)
        code = GUIDE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
        code = code.replace("https://stats.example.org/v1", BASE_URL).replace("rc_YOUR_KEY", key)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        german = [server["name"] for server in RollcallClient(BASE_URL, key).iter_servers(country="Germany")]
        self.assertTrue(german)
        self.assertEqual([line.rsplit(" ", 1)[0] for line in done.stdout.splitlines()], german)


if __name__ == "__main__":
    unittest.main()
