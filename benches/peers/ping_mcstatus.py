"""Pings servers with mcstatus.

Arguments: PLAYERS CONCURRENCY (uvloop|asyncio) HOST:PORT... Reads a number of pings per line and prints how many seconds they took.
"""

import asyncio
import sys
import time

from mcstatus import JavaServer

TIMEOUT_SECONDS = 5


async def run_pings(servers, concurrency, count, players):
    remaining = iter(range(count))

    async def ping_in_sequence():
        for i in remaining:
            status = await servers[i % len(servers)].async_status(tries=1)
            assert status.players.online == players, status

    started = time.monotonic()
    await asyncio.gather(*(ping_in_sequence() for _ in range(concurrency)))
    return time.monotonic() - started


async def main():
    players, concurrency = int(sys.argv[1]), int(sys.argv[2])
    addresses = (address.split(":") for address in sys.argv[4:])
    servers = [JavaServer(host, int(port), timeout=TIMEOUT_SECONDS) for host, port in addresses]
    print("ready", flush=True)
    # Blocking reads are fine: nothing else runs meanwhile.
    for line in sys.stdin:
        print(await run_pings(servers, concurrency, int(line), players), flush=True)


if sys.argv[3] == "uvloop":
    import uvloop

    uvloop.run(main())
else:
    asyncio.run(main())
