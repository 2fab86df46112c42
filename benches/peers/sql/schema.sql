-- The database of the peers: plain tables as their users would write them. indexes.sql adds every index that helps.
create table servers (
  n integer primary key, id text not null, slug text not null, name text not null, name_key text not null,
  short_description text, ip text, port integer, icon_url text, banner_url text, motd_image_url text, motd text,
  website text, chat_url text, visibility text, is_online integer, current_players integer, max_players integer, version text,
  latency integer, last_ping text, country text collate nocase, tags text, game_mode text collate nocase, uptime real,
  trend real, total_votes integer, rating real, rating_count integer, created_at text, search text
);
create table server_tags (tag text collate nocase, server integer, primary key (tag, server)) without rowid;
create table players (
  n integer primary key, id text not null, game_uuid text not null, nickname text not null, nickname_key text not null,
  skin_url text, linked_skin_png_path text, skin_model text, country text, tier_overall text, tier_points integer,
  tier_rank integer, last_tier_sync_at text, created_at text, updated_at text, last_seen_at integer,
  total_play_time integer, session_count integer
);
create table sessions (
  player integer, joined_at integer, n integer, id text, server integer, left_at integer, play_time integer,
  primary key (player, joined_at, n)
) without rowid;
create table votes (
  server integer, ordinal integer, id text, game_username text, voted_at integer, player integer, account text,
  primary key (server, ordinal)
) without rowid;
create table vote_days (server integer, day integer, votes integer, primary key (server, day)) without rowid;
create table history_hour (server integer, at integer, players integer, peak integer, primary key (server, at)) without rowid;
create table history_day (server integer, at integer, players integer, peak integer, primary key (server, at)) without rowid;
create table counts (servers integer, players integer);
