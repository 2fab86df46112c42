"""A database of its own on the PostgreSQL of the tests."""

import os
import subprocess


def create_database(url):
    """Returns its URL, and what drops it."""
    base, _, _ = url.rpartition("/")
    name = f"proxies_{os.getpid()}"
    psql = ["psql", "--quiet", "--no-psqlrc", url]
    subprocess.run([*psql, "--command", f"create database {name}"], check=True)
    return f"{base}/{name}", lambda: subprocess.run([*psql, "--command", f"drop database {name} with (force)"], check=True)
