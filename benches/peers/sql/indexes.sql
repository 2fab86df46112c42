create unique index servers_id on servers (id);
create unique index servers_slug on servers (slug);
create index servers_recent on servers (created_at desc, id);
create index servers_players on servers (current_players desc, id);
create index servers_votes on servers (total_votes desc, id);
create index servers_rating on servers (rating desc, rating_count desc, id);
create index servers_uptime on servers (uptime desc, id);
create index servers_trend on servers (trend desc, id);
create index servers_name on servers (name_key, id);
-- Covering indexes: totals with further filters are counted without reading the table.
create index servers_country on servers (country, game_mode, version, is_online, current_players, total_votes, uptime, rating);
create index servers_mode on servers (game_mode, version, is_online, current_players, total_votes, uptime, rating);
create index servers_version on servers (version, is_online, current_players, total_votes, uptime, rating);
create index server_tags_server on server_tags (server, tag);
create unique index players_id on players (id);
create unique index players_uuid on players (game_uuid);
create index players_nickname on players (nickname_key, last_seen_at desc);
create index players_recent on players (created_at desc, n);
create index players_name on players (nickname_key, n);
create index players_playtime on players (total_play_time desc, n);
create index players_sessions on players (session_count desc, n);
create index players_tier on players (tier_points desc, tier_rank, n);
-- Covers searches of two letters.
create index players_search on players (nickname_key, total_play_time desc);
create index votes_page on votes (server, voted_at desc, ordinal desc);
create index votes_recent on votes (voted_at desc);

create virtual table players_text using fts5 (nickname_key, content = '', tokenize = 'trigram');
insert into players_text (rowid, nickname_key) select n, nickname_key from players;
create virtual table servers_text using fts5 (search, content = '', tokenize = 'trigram');
insert into servers_text (rowid, search) select n, search from servers;

create view server_items as
  select n, id, slug, name, short_description as shortDescription, ip, port, icon_url as iconUrl, banner_url as bannerUrl,
    motd_image_url as motdImageUrl, motd, website, chat_url as chatUrl, visibility, is_online as isOnline,
    current_players as currentPlayers, max_players as maxPlayers, version, latency, last_ping as lastPing, country, tags,
    game_mode as gameMode, uptime, trend, total_votes as totalVotes, rating, created_at as createdAt
  from servers;
create view player_items as
  select n, id, game_uuid as gameUuid, nickname as mainNickname, skin_url as skinUrl,
    linked_skin_png_path as linkedSkinPngPath, skin_model as skinModel, country, tier_overall as tierOverall,
    tier_points as tierPoints, tier_rank as tierRank, last_tier_sync_at as lastTierSyncAt, created_at as createdAt,
    total_play_time as totalPlayTime, session_count as sessionCount
  from players;
create view vote_items as
  select v.server, v.ordinal, v.voted_at, v.id, v.game_username as gameUsername,
    strftime('%Y-%m-%d %H:%M:%f', v.voted_at / 1000.0, 'unixepoch') as votedAt,
    case when v.account is null then 'anonymous' else 'auth' end as type, p.id as playerId, p.game_uuid as gameUuid,
    coalesce(p.skin_url, '') as skinUrl, coalesce(p.linked_skin_png_path, '') as linkedSkinPngPath,
    coalesce(p.skin_model, 'classic') as skinModel, coalesce(v.account, v.game_username) as siteUsername
  from votes v left join players p on p.n = v.player;
analyze main;
