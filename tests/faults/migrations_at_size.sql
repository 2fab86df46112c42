-- A store of 1,000,000 players in the schema of migrations 1 to 10. PostgreSQL only. The rows fit together, so
-- no foreign key is checked, which takes most of the time otherwise.
set session_replication_role = replica;

insert into accounts (id, username, username_key, avatar, role, created_at)
select 'account-' || i, 'user' || i, 'user' || i, '', 'USER', 1748736000000 from generate_series(1, 20000) i;

insert into servers (id, slug, name, short_description, ip, port, icon, banner, motd_image, motd_raw, visibility, is_online,
                     current_players, max_players, version, protocol, latency, country, created_at, uptime, trend, recent_players,
                     total_votes, vote_heat, vote_heat_at, rating_sum, rating_count, update_count, rev)
select 'server-' || i, 'server-' || i, 'Server ' || i, '', 'host' || i || '.example', 25565, '', '', '', '', 'PUBLIC', true, 10, 100,
       '1.21.4', 769, 20, 'Germany', 1748736000000, 99, 0, 10, 0, 0, 0, 0, 0, 0, 1
from generate_series(1, 20000) i;
insert into tracking (server_n, due_at, sample_online, sample_players, sample_pause, failures, form, icon_hash, motd_hash, pictured_at, note)
select i, 4102444800000, true, 10, 60000, 0, '', '', '', 0, '' from generate_series(1, 20000) i;
insert into samples (server_n, at, online, players, latency, tps)
select i % 20000 + 1, 1780000000000 + i / 20000 * 60000, true, 10, 20, null from generate_series(0, 1999999) i;

insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at, view_count, download_count,
                      like_count, favorite_count, usage_count, rev)
select 'skin', 'skin-' || i, 'skin-' || i, 'Skin ' || i, '', 'slim', 'skin/' || md5(i::text) || '.png', 1, false, 1748736000000, 0, 0,
       50, 10, 10, 1
from generate_series(1, 100000) i;
insert into texture_likes (texture_n, account_n) select i % 100000 + 1, i / 100000 * 7 + 1 from generate_series(0, 1999999) i;
insert into texture_favorites (texture_n, account_n) select i % 100000 + 1, i / 100000 * 7 + 1 from generate_series(0, 999999) i;

insert into players (id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, tier_overall, tier_points, created_at,
                     updated_at, last_seen_at, total_play_time, session_count, servers_count, total_kills, total_deaths, total_wins,
                     vote_count, review_count, achievements, rev)
select 'player-' || i, md5(i::text)::uuid::text, 'Player' || i, 'player' || i, '', 'slim', i % 100000 + 1, 'Unranked', 0, 1748736000000,
       1748736000000, 1780000000000 + i, 3600, 3, 1, 0, 0, 0, 1, 0, 0, 1
from generate_series(1, 1000000) i;
insert into player_nicknames (player_n, position, nickname) select i, 0, 'Player' || i from generate_series(1, 1000000) i;
insert into reported_names (server_n, player_n, nickname, nickname_key, since, seen_at)
select i % 20000 + 1, i, 'Player' || i, 'player' || i, 1748736000000, 1748736000000 from generate_series(1, 1000000) i;
insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
select 'session-' || i, i % 1000000 + 1, i % 20000 + 1, 1780000000000 + i * 100, 1780003600000 + i * 100, 3600
from generate_series(1, 3000000) i;
insert into player_stats (id, player_n, server_n, at, stats_json, kills_gain, deaths_gain, wins_gain)
select 'stats-' || i, i, i % 20000 + 1, 1780000000000 + i, '{}', 1, 1, 0 from generate_series(1, 500000) i;

insert into votes (server_n, ordinal, id, player_n, game_username, voted_at)
select i % 20000 + 1, i / 20000 + 1, 'vote-' || i, i % 1000000 + 1, 'Player' || i, 1780000000000 + i from generate_series(0, 999999) i;
insert into reviews (server_n, ordinal, id, account_n, game_username, rating, content, created_at, updated_at)
select i % 20000 + 1, i / 20000 + 1, 'review-' || i, i % 20000 + 1, 'user', 5, repeat('Good. ', 30), 1780000000000, 1780000000000
from generate_series(0, 499999) i;
insert into update_posts (server_n, ordinal, id, account_n, title, content, status, created_at, updated_at)
select i % 20000 + 1, i / 20000 + 1, 'post-' || i, i % 20000 + 1, 'News', repeat('News. ', 100), 'APPROVED', 1780000000000, 1780000000000
from generate_series(0, 199999) i;
analyze
