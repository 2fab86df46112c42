"""Writes the history of servers as CSV, of any length: it is read page by page.

ROLLCALL_URL=https://stats.example.org/v1 ROLLCALL_KEY=rc_… python3 history_csv.py aurora-vale kelpedge --from 2026-01-01 > history.csv
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterator
from typing import Literal, TextIO

from rollcall_client import RollcallClient, RollcallError, types

Resolution = Literal["auto", "5m", "1h", "1d"]
HEADER = ["server", "at", "coverage", "players", "peak", "low", "uptime", "latency", "tps"]


def row(slug: str, point: types.HistoryPoint) -> list[str | float | None]:
    """A point as a row. A figure that is not known is an empty field."""
    players = point.get("players")
    counts = (players["avg"], players["peak"], players["low"]) if players else (None, None, None)
    return [slug, point["at"], point["coverage"], *counts, point.get("uptime"), point.get("latency"), point.get("tps")]


def rows(
    rollcall: RollcallClient, slugs: list[str], start: str | None, end: str | None, resolution: Resolution
) -> Iterator[list[str | float | None]]:
    for slug in slugs:
        for point in rollcall.iter_server_history(slug, from_=start, to=end, resolution=resolution):
            yield row(slug, point)


def write(out: TextIO, lines: Iterator[list[str | float | None]]) -> None:
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEADER)
    table.writerows(lines)


def setting(name: str, example: str) -> str:
    value = os.environ.get(name, "")
    return value or sys.exit(f"Set {name}, such as {name}={example}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the history of servers as CSV.")
    parser.add_argument("slugs", metavar="SLUG", nargs="+")
    parser.add_argument("--from", dest="start", help="a UTC time or date; 24 hours ago by default")
    parser.add_argument("--to", dest="end", help="a UTC time or date; now by default")
    parser.add_argument("--resolution", choices=["auto", "5m", "1h", "1d"], default="auto")
    given = parser.parse_args()
    rollcall = RollcallClient(setting("ROLLCALL_URL", "https://stats.example.org/v1"), setting("ROLLCALL_KEY", "rc_…"))
    try:
        write(sys.stdout, rows(rollcall, given.slugs, given.start, given.end, given.resolution))
        sys.stdout.flush()
    except RollcallError as error:
        sys.exit(f"{error.status}: {error}")
    except BrokenPipeError:
        # The reader, such as `head`, has enough. Python flushes once more at the end, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
