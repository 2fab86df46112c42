// SQL of the Fastify peer. Lists select a page of row ids from an index before they read the rows, so that deep pages stay cheap.
export const SERVER_ORDERS = {
  recent: 'created_at desc, id',
  players: 'current_players desc, id',
  votes: 'total_votes desc, id',
  rating: 'rating desc, rating_count desc, id',
  uptime: 'uptime desc, id',
  trending: 'trend desc, id',
  name: 'name_key, id',
};

export const PLAYER_ORDERS = {
  recent: 'created_at desc, n',
  name: 'nickname_key, n',
  playtime: 'total_play_time desc, n',
  sessions: 'session_count desc, n',
  tier: 'tier_points desc, tier_rank, n',
};

const FILTERS = {
  country: 'country = ?',
  mode: 'game_mode = ?',
  minPlayers: 'current_players >= ?',
  maxPlayers: 'current_players <= ?',
  minUptime: 'uptime >= ?',
  minVotes: 'total_votes >= ?',
  minRating: 'rating >= ?',
};

export function serverFilter(query) {
  const terms = [];
  const values = [];
  for (const [name, term] of Object.entries(FILTERS)) {
    if (query[name] !== undefined) {
      terms.push(term);
      values.push(query[name]);
    }
  }
  if (query.version !== undefined) {
    terms.push('(version = ? or (version >= ? and version < ?))');
    values.push(query.version, `${query.version}.`, `${query.version}/`);
  }
  if (query.tag !== undefined) {
    terms.push('n in (select server from server_tags where tag = ?)');
    values.push(query.tag);
  }
  if (query.onlineOnly) terms.push('is_online = 1');
  return { where: terms.length ? `where ${terms.join(' and ')}` : '', values };
}

// Rank: exact name, prefix, prefix of a word, substring; then by popularity.
export const SEARCH_PLAYERS = (from) => `
  select id, game_uuid as gameUuid, nickname as mainNickname, created_at as createdAt, updated_at as updatedAt
  from players where ${from}
  order by case when nickname_key = @q then 0 when substr(nickname_key, 1, length(@q)) = @q then 1
    when nickname_key glob '*[^a-z0-9]' || @q || '*' then 2 else 3 end, total_play_time desc, n limit @limit`;

export const SEARCH_SERVERS = (from) => `
  select id, slug, name, icon_url as iconUrl, banner_url as bannerUrl, current_players as currentPlayers,
    max_players as maxPlayers, is_online as isOnline, rating
  from servers where ${from}
  order by case when name_key = @q then 0 when substr(name_key, 1, length(@q)) = @q then 1
    when name_key glob '*[^a-z0-9]' || @q || '*' then 2 when instr(name_key, @q) then 3 else 4 end,
    current_players desc, id limit @limit`;
