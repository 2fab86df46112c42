"""PostgreSQL: a database of its own on the server of the tests, and servers that scripts/postgres runs."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]


def create_database(url):
    """Returns its URL, and what drops it."""
    base, _, _ = url.rpartition("/")
    name = f"proxies_{os.getpid()}"
    psql = ["psql", "--quiet", "--no-psqlrc", url]
    subprocess.run([*psql, "--command", f"create database {name}"], check=True)
    return f"{base}/{name}", lambda: subprocess.run([*psql, "--command", f"drop database {name} with (force)"], check=True)


def query(url, statement):
    """The rows, as lists of texts."""
    command = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", url, "--command", statement]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [line.split("|") for line in output.splitlines()]


class PostgresServer:
    """A server of its own: a primary, or a replica of the server at a URL."""

    def __init__(self, folder, name, replica_of=None):
        self.state = pathlib.Path(folder, f"{name}.state")
        self.url = self.control(*(("replicate", replica_of.url) if replica_of else ("start",)))
        self.port = int(self.url.rpartition(":")[2].partition("/")[0])

    def control(self, *arguments):
        """A command of scripts/postgres."""
        environment = {**os.environ, "POSTGRES_STATE": str(self.state)}
        command = [ROOT / "scripts" / "postgres", *arguments]
        return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def sql(self, statement):
        return query(self.url, statement)

    def end(self):
        # One that crashed is not there to be stopped.
        environment = {**os.environ, "POSTGRES_STATE": str(self.state)}
        subprocess.run([ROOT / "scripts" / "postgres", "stop"], env=environment, stderr=subprocess.DEVNULL)
