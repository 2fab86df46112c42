"""The FastAPI peer, written as its users would: one worker per core with one connection each, and models for requests and responses.
It checks no API key."""

import os
import sqlite3
import time
import unicodedata
from datetime import datetime, timezone
from typing import Annotated

import orjson
from fastapi import FastAPI, HTTPException, Query

from models import (
    Envelope, LiveData, PageQuery, Period, PlayerData, PlayerList, PlayerQuery, SearchData, ServerData, ServerList, ServerQuery,
    VoterList,
)
from queries import PLAYER_ORDERS, SEARCH_PLAYERS, SEARCH_SERVERS, SERVER_ORDERS, server_filter

app = FastAPI(openapi_url=None)
# The connection caches prepared statements.
db = sqlite3.connect(f"file:{os.environ['DATABASE']}?mode=ro", uri=True, cached_statements=4096, check_same_thread=False)
db.execute("pragma mmap_size = 8589934592")
db.execute("pragma cache_size = -65536")
SERVERS, PLAYERS = db.execute("select servers, players from counts").fetchone()
DAY = 86_400_000
DAYS = {"24h": 1, "7d": 7, "30d": 30, "90d": 90, "all-time": 36_500}


def rows(sql, values=()):
    cursor = db.execute(sql, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor]


def one(sql, values=()):
    return next(iter(rows(sql, values)), None)


def count(sql, values=()):
    return db.execute(sql, values).fetchone()[0]


def envelope(data):
    return {"success": True, "data": data}


def pagination(page, limit, total):
    return {"page": page, "limit": limit, "total": total, "totalPages": -(-total // limit)}


def iso(at):
    return datetime.fromtimestamp(at / 1000, timezone.utc).isoformat(timespec="milliseconds")[:-6] + "Z"


def to_server(row):
    row.pop("n", None)
    row["isOnline"] = row["isOnline"] == 1
    row["tags"] = orjson.loads(row["tags"])
    return row


@app.get("/v1/servers")
async def list_servers(query: Annotated[ServerQuery, Query()]) -> Envelope[ServerList]:
    page, limit = query.page, query.limit
    where, values = server_filter(query)
    order = SERVER_ORDERS[query.sort]
    found = rows(
        f"select i.* from (select n from servers {where} order by {order} limit ? offset ?) p"
        " cross join server_items i on i.n = p.n",
        [*values, limit, (page - 1) * limit],
    )
    total = count(f"select count(*) from servers {where}", values) if where else SERVERS
    return envelope({"servers": [to_server(row) for row in found], "pagination": pagination(page, limit, total)})


@app.get("/v1/players")
async def list_players(query: Annotated[PlayerQuery, Query()]) -> Envelope[PlayerList]:
    page, limit = query.page, query.limit
    order = PLAYER_ORDERS[query.sort]
    found = rows(
        f"select i.* from (select n from players order by {order} limit ? offset ?) p"
        " cross join player_items i on i.n = p.n",
        [limit, (page - 1) * limit],
    )
    return envelope({"players": found, "pagination": pagination(page, limit, PLAYERS)})


@app.get("/v1/players/{id}")
async def player_detail(id: str) -> Envelope[PlayerData]:
    player = (
        one("select * from player_items where id = ?", [id])
        or one("select * from player_items where gameUuid = ?", [id])
        or one(
            "select * from player_items where n ="
            " (select n from players where nickname_key = ? order by last_seen_at desc limit 1)",
            [id.lower()],
        )
    )
    if player is None:
        raise HTTPException(404)
    sessions = db.execute(
        "select e.id, joined_at, left_at, play_time, s.id, s.slug, s.name, s.icon_url"
        " from sessions e join servers s on s.n = e.server where player = ? order by joined_at desc limit 20",
        [player.pop("n")],
    )
    player["recentSessions"] = [
        {
            "id": row[0],
            "server": {"id": row[4], "slug": row[5], "name": row[6], "iconUrl": row[7]},
            "joinedAt": iso(row[1]),
            "leftAt": iso(row[2]),
            "totalPlayTime": row[3],
        }
        for row in sessions
    ]
    return envelope({"player": player})


@app.get("/v1/servers/{slug}")
async def server_detail(slug: str, period: Period = "24h") -> Envelope[ServerData]:
    row = one("select * from server_items where slug = ?", [slug])
    if row is None:
        raise HTTPException(404)
    n, now = row["n"], int(time.time() * 1000)
    since = {name: now - days * DAY for name, days in DAYS.items()}
    table = {name: "history_hour" if days <= 30 else "history_day" for name, days in DAYS.items()}
    server = to_server(row)
    points = db.execute(
        f"select at, players from {table[period]} where server = ? and at >= ? order by at", [n, since[period]]
    )
    server["statsHistory"] = [{"timestamp": iso(at), "onlinePlayers": players} for at, players in points]
    server["periodStats"] = {
        name: one(
            "select coalesce(avg(players), 0) as avgPlayers, coalesce(max(peak), 0) as maxPlayers"
            f" from {table[name]} where server = ? and at >= ?",
            [n, since[name]],
        )
        for name in DAYS
    }
    server["voteStats"] = {
        name: count("select count(*) from votes where server = ? and voted_at >= ?", [n, since[name]])
        for name in DAYS
        if name != "all-time"
    }
    days = db.execute("select day, votes from vote_days where server = ? and day >= ? order by day", [n, since[period]])
    server["dailyVotes"] = [{"day": iso(day)[:10], "votes": votes} for day, votes in days]
    return envelope({"server": server})


@app.get("/v1/servers/{slug}/voters")
async def voters(slug: str, query: Annotated[PageQuery, Query()]) -> Envelope[VoterList]:
    server = db.execute("select n, total_votes from servers where slug = ?", [slug]).fetchone()
    if server is None:
        raise HTTPException(404)
    page, limit = query.page, query.limit
    found = rows(
        "select i.* from (select ordinal from votes where server = ? order by voted_at desc, ordinal desc"
        " limit ? offset ?) v cross join vote_items i on i.server = ? and i.ordinal = v.ordinal",
        [server[0], limit, (page - 1) * limit, server[0]],
    )
    total_pages = pagination(page, limit, server[1])["totalPages"]
    return envelope({"voters": found, "total": server[1], "page": page, "totalPages": total_pages})


@app.get("/v1/search")
async def search(q: str, limit: int = 10) -> Envelope[SearchData]:
    folded = "".join(c for c in unicodedata.normalize("NFKD", q.lower()) if not unicodedata.combining(c))
    values = {"q": folded, "match": '"' + folded.replace('"', '""') + '"', "limit": limit}
    # A trigram index cannot find two letters.
    short = len(folded) < 3

    def within(table):
        return f"n in (select rowid from {table} where {table} match :match)"

    players = rows(SEARCH_PLAYERS.format("instr(nickname_key, :q)" if short else within("players_text")), values)
    servers = rows(SEARCH_SERVERS.format("instr(search, :q)" if short else within("servers_text")), values)
    for server in servers:
        server["isOnline"] = server["isOnline"] == 1
    return envelope({"results": {"servers": servers, "players": players}, "query": q})


@app.get("/v1/live")
async def live() -> Envelope[LiveData]:
    stats = one(
        "select sum(current_players) as totalPlayers, count(*) as totalServers, sum(is_online) as onlineServers"
        " from servers"
    )
    stats["generatedAt"] = iso(int(time.time() * 1000))
    top = rows(
        "select id, name, current_players as players, max_players as maxPlayers, is_online as isOnline, country"
        " from servers order by current_players desc, id limit 10"
    )
    countries = db.execute("select country, sum(current_players) from servers group by country")
    return envelope(
        {
            "stats": stats,
            "topServers": [{**row, "isOnline": row["isOnline"] == 1} for row in top],
            "recentActivity": rows("select * from vote_items order by voted_at desc limit 20"),
            "countryPlayers": dict(countries.fetchall()),
        }
    )
