"""Asks as mcstatus does: PLAYERS AT_ONCE (uvloop|asyncio) HOST:PORT...; then reads a number of asks per line and says how many seconds they took."""

import asyncio
import sys
import time

from mcstatus import JavaServer

PATIENCE = 5


async def ask(servers, at_once, count, players):
    left = iter(range(count))

    async def one_after_the_other():
        for i in left:
            status = await servers[i % len(servers)].async_status(tries=1)
            assert status.players.online == players, status

    began = time.monotonic()
    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))
    return time.monotonic() - began


async def main():
    players, at_once = int(sys.argv[1]), int(sys.argv[2])
    servers = [JavaServer(host, int(port), timeout=PATIENCE) for host, port in (a.split(":") for a in sys.argv[4:])]
    print("ready", flush=True)
    # Nothing else runs while the next line is waited for.
    for line in sys.stdin:
        print(await ask(servers, at_once, int(line), players), flush=True)


if sys.argv[3] == "uvloop":
    import uvloop

    uvloop.run(main())
else:
    asyncio.run(main())
