// The Fastify peer, written as its users would: one worker per core, prepared statements with better-sqlite3, and schemas for
// requests and responses. It checks no API key.
import cluster from 'node:cluster';
import Database from 'better-sqlite3';
import Fastify from 'fastify';
import { PLAYER_ORDERS, SEARCH_PLAYERS, SEARCH_SERVERS, SERVER_ORDERS, serverFilter } from './queries.js';

const text = { type: 'string' };
const nullableText = { type: 'string', nullable: true };
const integer = { type: 'integer' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
const object = (properties) => ({ type: 'object', properties });
const list = (items) => ({ type: 'array', items });
const envelope = (data, query = {}) => ({ querystring: object(query), response: { 200: object({ success: flag, data }) } });
const pagination = object({ page: integer, limit: integer, total: integer, totalPages: integer });
const pageQuery = { page: { ...integer, minimum: 1, default: 1 }, limit: { ...integer, minimum: 1, maximum: 100, default: 20 } };
const sortQuery = (orders) => ({ ...pageQuery, sort: { ...text, enum: Object.keys(orders), default: 'recent' } });
const filters = {
  country: text, version: text, tag: text, mode: text, minPlayers: integer, maxPlayers: integer, minUptime: number, minVotes: integer,
  minRating: number, onlineOnly: flag,
};

const server = {
  id: text, slug: text, name: text, shortDescription: text, ip: text, port: integer, iconUrl: text, bannerUrl: text,
  motdImageUrl: text, motd: text, website: nullableText, chatUrl: nullableText, visibility: text, isOnline: flag, currentPlayers: integer,
  maxPlayers: integer, version: text, latency: integer, lastPing: nullableText, country: text, tags: list(text), gameMode: nullableText,
  uptime: number, trend: number, totalVotes: integer, rating: number, createdAt: text,
};
const player = {
  id: text, gameUuid: text, mainNickname: text, skinUrl: text, linkedSkinPngPath: text, skinModel: text, country: nullableText,
  tierOverall: text, tierPoints: integer, tierRank: { type: 'integer', nullable: true }, lastTierSyncAt: nullableText, createdAt: text,
  totalPlayTime: integer, sessionCount: integer,
};
const session = object({
  id: text, server: object({ id: text, slug: text, name: text, iconUrl: text }), joinedAt: text, leftAt: text, totalPlayTime: integer,
});
const voter = object({
  id: text, gameUsername: text, votedAt: text, type: text, playerId: nullableText, gameUuid: nullableText, skinUrl: text, linkedSkinPngPath: text,
  skinModel: text, siteUsername: text,
});

function serve() {
  const db = new Database(process.env.DATABASE, { readonly: true });
  db.pragma('mmap_size = 8589934592');
  db.pragma('cache_size = -65536');
  const prepared = new Map();
  const sql = (source) => {
    let statement = prepared.get(source);
    if (!statement) prepared.set(source, (statement = db.prepare(source)));
    return statement;
  };
  const app = Fastify({ logger: false });
  const counts = sql('select servers, players from counts').get();
  const paginate = (page, limit, total) => ({ page, limit, total, totalPages: Math.ceil(total / limit) });
  const toServer = (row) => ({ ...row, isOnline: row.isOnline === 1, tags: JSON.parse(row.tags) });

  app.get('/v1/servers', {
    schema: envelope(object({ servers: list(object(server)), pagination }), { ...sortQuery(SERVER_ORDERS), ...filters }),
  }, (request) => {
    const { page, limit, sort } = request.query;
    const order = SERVER_ORDERS[sort];
    const { where, values } = serverFilter(request.query);
    const rows = sql(`select i.* from (select n from servers ${where} order by ${order} limit ? offset ?) p
      cross join server_items i on i.n = p.n`).all(...values, limit, (page - 1) * limit);
    const total = where ? sql(`select count(*) from servers ${where}`).pluck().get(...values) : counts.servers;
    return { success: true, data: { servers: rows.map(toServer), pagination: paginate(page, limit, total) } };
  });

  app.get('/v1/players', {
    schema: envelope(object({ players: list(object(player)), pagination }), sortQuery(PLAYER_ORDERS)),
  }, (request) => {
    const { page, limit, sort } = request.query;
    const order = PLAYER_ORDERS[sort];
    const rows = sql(`select i.* from (select n from players order by ${order} limit ? offset ?) p
      cross join player_items i on i.n = p.n`).all(limit, (page - 1) * limit);
    return { success: true, data: { players: rows, pagination: paginate(page, limit, counts.players) } };
  });

  app.get('/v1/players/:id', {
    schema: envelope(object({ player: object({ ...player, recentSessions: list(session) }) })),
  }, (request, reply) => {
    const { id } = request.params;
    const found = sql('select * from player_items where id = ?').get(id)
      ?? sql('select * from player_items where gameUuid = ?').get(id)
      ?? sql(`select * from player_items where n = (select n from players where nickname_key = ?
        order by last_seen_at desc limit 1)`).get(id.toLowerCase());
    if (!found) return reply.code(404).send({ success: false });
    const rows = sql(`select e.id, joined_at, left_at, play_time, s.id as server_id, s.slug, s.name, s.icon_url
      from sessions e join servers s on s.n = e.server where player = ? order by joined_at desc limit 20`).all(found.n);
    const recentSessions = rows.map((row) => ({
      id: row.id,
      server: { id: row.server_id, slug: row.slug, name: row.name, iconUrl: row.icon_url },
      joinedAt: new Date(row.joined_at).toISOString(),
      leftAt: new Date(row.left_at).toISOString(),
      totalPlayTime: row.play_time,
    }));
    return { success: true, data: { player: { ...found, recentSessions } } };
  });

  const point = object({ timestamp: text, onlinePlayers: integer });
  const periodFigures = object({ avgPlayers: number, maxPlayers: integer });
  app.get('/v1/servers/:slug', {
    schema: envelope(object({
      server: object({
        ...server,
        statsHistory: list(point),
        periodStats: { type: 'object', additionalProperties: periodFigures },
        voteStats: { type: 'object', additionalProperties: integer },
        dailyVotes: list(object({ day: text, votes: integer })),
      }),
    }), { period: { ...text, enum: ['24h', '7d', '30d', '90d', 'all-time'], default: '24h' } }),
  }, (request, reply) => {
    const row = sql('select * from server_items where slug = ?').get(request.params.slug);
    if (!row) return reply.code(404).send({ success: false });
    const DAY = 86_400_000;
    const now = Date.now();
    const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, 'all-time': now / DAY };
    const since = (period) => now - days[period] * DAY;
    const table = (period) => (days[period] <= 30 ? 'history_hour' : 'history_day');
    const { period } = request.query;
    const points = sql(`select at, players from ${table(period)} where server = ? and at >= ? order by at`).all(row.n, since(period));
    const periodStats = {};
    const voteStats = {};
    for (const name of Object.keys(days)) {
      periodStats[name] = sql(`select coalesce(avg(players), 0) as avgPlayers, coalesce(max(peak), 0) as maxPlayers
        from ${table(name)} where server = ? and at >= ?`).get(row.n, since(name));
      if (name !== 'all-time') {
        voteStats[name] = sql('select count(*) from votes where server = ? and voted_at >= ?').pluck().get(row.n, since(name));
      }
    }
    const dailyVotes = sql('select day, votes from vote_days where server = ? and day >= ? order by day').all(row.n, since(period));
    return {
      success: true,
      data: {
        server: {
          ...toServer(row),
          statsHistory: points.map(({ at, players }) => ({ timestamp: new Date(at).toISOString(), onlinePlayers: players })),
          periodStats,
          voteStats,
          dailyVotes: dailyVotes.map(({ day, votes }) => ({ day: new Date(day).toISOString().slice(0, 10), votes })),
        },
      },
    };
  });

  app.get('/v1/servers/:slug/voters', {
    schema: envelope(object({ voters: list(voter), total: integer, page: integer, totalPages: integer }), pageQuery),
  }, (request, reply) => {
    const row = sql('select n, total_votes from servers where slug = ?').get(request.params.slug);
    if (!row) return reply.code(404).send({ success: false });
    const { page, limit } = request.query;
    const voters = sql(`select i.* from (select ordinal from votes where server = ? order by voted_at desc, ordinal desc
      limit ? offset ?) v cross join vote_items i on i.server = ? and i.ordinal = v.ordinal`).all(row.n, limit, (page - 1) * limit, row.n);
    const { total, totalPages } = paginate(page, limit, row.total_votes);
    return { success: true, data: { voters, total, page, totalPages } };
  });

  const found = object({
    servers: list(object({
      id: text, slug: text, name: text, iconUrl: text, bannerUrl: text, currentPlayers: integer, maxPlayers: integer, isOnline: flag, rating: number,
    })),
    players: list(object({ id: text, gameUuid: text, mainNickname: text, createdAt: text, updatedAt: text })),
  });
  const within = (table) => `n in (select rowid from ${table} where ${table} match @match)`;
  const searchQuery = { q: text, limit: { ...integer, minimum: 1, maximum: 100, default: 10 } };
  app.get('/v1/search', { schema: envelope(object({ results: found, query: text }), searchQuery) }, (request) => {
    const q = request.query.q.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
    const values = { q, match: `"${q.replaceAll('"', '""')}"`, limit: request.query.limit };
    // A trigram index cannot find two letters.
    const short = q.length < 3;
    const players = sql(SEARCH_PLAYERS(short ? 'instr(nickname_key, @q)' : within('players_text'))).all(values);
    const servers = sql(SEARCH_SERVERS(short ? 'instr(search, @q)' : within('servers_text'))).all(values);
    return {
      success: true,
      data: { results: { servers: servers.map((row) => ({ ...row, isOnline: row.isOnline === 1 })), players }, query: request.query.q },
    };
  });

  const live = object({
    stats: object({ totalPlayers: integer, totalServers: integer, onlineServers: integer, generatedAt: text }),
    topServers: list(object({ id: text, name: text, players: integer, maxPlayers: integer, isOnline: flag, country: text })),
    recentActivity: list(voter),
    countryPlayers: { type: 'object', additionalProperties: integer },
  });
  app.get('/v1/live', { schema: envelope(live) }, () => {
    const stats = sql(`select sum(current_players) as totalPlayers, count(*) as totalServers, sum(is_online) as onlineServers
      from servers`).get();
    const top = sql(`select id, name, current_players as players, max_players as maxPlayers, is_online as isOnline, country
      from servers order by current_players desc, id limit 10`).all();
    const recentActivity = sql('select * from vote_items order by voted_at desc limit 20').all();
    const countries = sql('select country, sum(current_players) as players from servers group by country').all();
    return {
      success: true,
      data: {
        stats: { ...stats, generatedAt: new Date().toISOString() },
        topServers: top.map((row) => ({ ...row, isOnline: row.isOnline === 1 })),
        recentActivity,
        countryPlayers: Object.fromEntries(countries.map(({ country, players }) => [country, players])),
      },
    };
  });

  app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
}

const workers = Number(process.env.WORKERS ?? 1);
if (cluster.isPrimary) {
  for (let i = 0; i < workers; i += 1) cluster.fork();
} else {
  serve();
}
