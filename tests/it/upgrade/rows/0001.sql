-- Rows of the tables of migration 1. The engine assigns `n` from 1 in the order of the rows.
-- The clock of the test stands at 2026-06-03T14:00:00Z (1780495200000).

update store_state set rev = 1;

insert into accounts (id, username, username_key, avatar, role, created_at) values
    ('0000e9qprv33c5p6r000', 'rollcall', 'rollcall', 'avatar/00000000000000000000000000000000.png', 'SYSTEM', 1704067200000),
    ('account-mara', 'Mara', 'mara', 'avatar/11111111111111111111111111111111.png', 'USER', 1748736000000),
    ('account-jonas', 'Jonas', 'jonas', 'avatar/22222222222222222222222222222222.png', 'USER', 1751328000000);

insert into keys (id, name, account_n, per_minute, per_day, per_month, disabled, created_at) values
    ('key-of-mara', 'Status page', 2, 60, 1000, 20000, false, 1748736000000),
    ('key-disabled', 'Old bot', 3, 60, 1000, 20000, true, 1751328000000);
-- SHA-256 of the two secrets in `mod.rs`.
insert into key_secrets (hash, key_n, hint, created_at) values
    ('06d8fa4d0c18ba183d25795b08e55a73cf35b85c5f589636d13b839200e20a9a', 1, 'rc_Upgr…', 1748736000000),
    ('6d5d5e7e8efeb0055656293734635ad5157f5588dee2e35a1c7c7d0c9c6c1dae', 2, 'rc_Disa…', 1751328000000);

insert into servers (id, slug, name, short_description, ip, port, icon, banner, motd_image, motd_raw, website, chat_url,
                     store_url, video_url, visibility, is_online, current_players, max_players, version, protocol, latency,
                     tps, last_ping, country, game_mode, owner_n, created_at, uptime, trend, recent_players, total_votes,
                     vote_heat, vote_heat_at, rating_sum, rating_count, update_count, rev) values
    ('server-harbor', 'harbor', 'Harbor', 'Trade and build by the sea', 'play.harbor.example', 25565,
     'icon/33333333333333333333333333333333.png', 'banner/33333333333333333333333333333333.png',
     'motd/33333333333333333333333333333333.png', '§bHarbor §7| §f1.21', 'https://harbor.example/', null, null, null,
     'PUBLIC', true, 42, 200, '1.21.4', 769, 31, 19.8, 1780495170000, 'Germany', 'Survival', 2, 1748736000000,
     99.5, 12.5, 38.5, 3, 2.25, 1780408800000, 9, 2, 1, 1),
    ('server-summit', 'summit', 'Summit', '', 'summit.example', 25566,
     'icon/44444444444444444444444444444444.png', 'banner/44444444444444444444444444444444.png',
     'motd/44444444444444444444444444444444.png', 'Summit', null, null, null, null,
     'PUBLIC', false, 0, 50, '1.20.6', 766, 0, null, 1780495140000, 'Türkiye', null, null, 1751328000000,
     40.25, -30.0, 0.0, 0, 0.0, 0, 0, 0, 0, 1),
    ('server-hidden', 'hidden', 'Hidden', '', 'hidden.example', 25565,
     'icon/55555555555555555555555555555555.png', 'banner/55555555555555555555555555555555.png',
     'motd/55555555555555555555555555555555.png', 'Hidden', null, null, null, null,
     'UNLISTED', true, 7, 10, '1.21.4', 769, 12, 20.0, 1780495150000, 'Germany', null, 3, 1751328000000,
     100.0, 0.0, 7.0, 0, 0.0, 0, 0, 0, 0, 1);

insert into server_tags (server_n, position, tag) values (1, 0, 'survival'), (1, 1, 'economy'), (2, 0, 'pvp');

insert into samples (server_n, at, online, players, latency, tps) values
    (0, 1780495110000, true, 41, 0, null), (0, 1780495170000, true, 42, 0, null),
    (1, 1780495110000, true, 41, 30, 19.9), (1, 1780495170000, true, 42, 31, 19.8),
    (2, 1780495140000, false, 0, 0, null);
insert into samples_5m (server_n, at, watched_ms, online_ms, player_ms, peak, low) values
    (0, 1780494900000, 300000, 300000, 12450000, 42, 41),
    (1, 1780494900000, 300000, 300000, 12450000, 42, 41),
    (2, 1780494900000, 300000, 0, 0, 0, 0);
insert into samples_hour (server_n, at, watched_ms, online_ms, player_ms, peak, low) values
    (0, 1780491600000, 3600000, 3600000, 144000000, 55, 30),
    (1, 1780491600000, 3600000, 3582000, 144000000, 55, 30),
    (2, 1780491600000, 3600000, 0, 0, 0, 0);
insert into samples_day (server_n, at, watched_ms, online_ms, player_ms, peak, low) values
    (0, 1780358400000, 86400000, 86400000, 3024000000, 61, 12),
    (1, 1780358400000, 86400000, 85968000, 3024000000, 61, 12),
    (2, 1780358400000, 86400000, 34776000, 86400000, 4, 0),
    (0, 1780444800000, 3600000, 3600000, 144000000, 55, 30),
    (1, 1780444800000, 3600000, 3582000, 144000000, 55, 30);

insert into textures (kind, id, slug, name, description, model, png, owner_n, is_featured, created_at, view_count,
                      download_count, like_count, favorite_count, usage_count, rev) values
    ('skin', '0000e9qprv33c5p6r001', 'default-classic', 'Default (classic)',
     'The skin of everyone with classic arms who has not picked another.', 'classic',
     'skin/00000000000000000000000000000000.png', 1, false, 1704067200000, 0, 0, 0, 0, 1, 1),
    ('skin', '0000e9qprv33c5p6r002', 'default-slim', 'Default (slim)',
     'The skin of everyone with slim arms who has not picked another.', 'slim',
     'skin/00000000000000000000000000000001.png', 1, false, 1704067200000, 0, 0, 0, 0, 0, 1),
    ('skin', 'skin-diver', 'diver', 'Diver', 'A brass helmet', 'slim', 'skin/66666666666666666666666666666666.png',
     2, true, 1754006400000, 90, 12, 2, 1, 1, 1),
    ('cape', 'cape-anchor', 'anchor', 'Anchor', '', null, 'cape/77777777777777777777777777777777.png',
     3, false, 1756684800000, 7, 1, 0, 1, 1, 1);
insert into texture_tags (texture_n, position, tag) values
    (1, 0, 'default'), (1, 1, 'classic'), (2, 0, 'default'), (2, 1, 'slim'), (3, 0, 'sea');
insert into texture_likes (texture_n, account_n) values (3, 2), (3, 3);
insert into texture_favorites (texture_n, account_n) values (3, 3), (4, 2);

insert into players (id, game_uuid, nickname, nickname_key, country, skin, skin_model, linked_skin_n, cape_n, tier_overall,
                     tier_points, tier_rank, last_tier_sync_at, created_at, updated_at, last_seen_at, total_play_time,
                     session_count, servers_count, total_kills, total_deaths, total_wins, vote_count, review_count,
                     achievements, rev) values
    ('player-ada', '0f1d4ece-d49d-4c66-8848-6e10c0a443f7', 'Ada', 'ada', 'Germany',
     'skin/66666666666666666666666666666666.png', 'slim', 3, 4, 'HT3', 10, 1, 1780000000000, 1754006400000, 1780484400000,
     1780484400000, 9000, 2, 2, 7, 2, 1, 2, 1, 5391369, 1),
    ('player-bo', '1a2b3c4d-0000-4000-8000-000000000001', 'Bo', 'bo', null,
     'skin/00000000000000000000000000000000.png', 'classic', 1, null, 'Unranked', 0, null, null, 1756684800000,
     1780412400000, 1780412400000, 1800, 1, 1, 0, 0, 0, 1, 1, 1179649, 1);
insert into player_nicknames (player_n, position, nickname) values (1, 0, 'AdaOld'), (1, 1, 'Ada'), (2, 0, 'Bo');

insert into votes (server_n, ordinal, id, account_n, player_n, game_username, voted_at) values
    (1, 1, 'vote-1', 2, 1, 'Ada', 1778000000000),
    (1, 2, 'vote-2', null, 2, 'Bo', 1780322400000),
    (1, 3, 'vote-3', 2, 1, 'Ada', 1780408800000);
insert into vote_days (server_n, day, votes) values (1, 1777939200000, 1), (1, 1780272000000, 1), (1, 1780358400000, 1);

insert into reviews (server_n, ordinal, id, account_n, player_n, game_username, rating, content, created_at, updated_at) values
    (1, 1, 'review-1', 2, 1, 'Ada', 5, 'Calm waters.', 1778000000000, 1778003600000),
    (1, 2, 'review-2', null, 2, 'Bo', 4, 'Good trade, few storms ☃', 1780322400000, 1780322400000);

insert into update_posts (server_n, ordinal, id, account_n, title, content, status, created_at, updated_at) values
    (1, 1, 'post-1', 2, 'New pier', 'The north pier is open.', 'APPROVED', 1780236000000, 1780236000000),
    (1, null, 'post-2', 2, 'Draft', 'Not reviewed yet.', 'PENDING', 1780322400000, 1780322400000);

insert into sessions (id, player_n, server_n, joined_at, left_at, play_time) values
    ('session-1', 1, 1, 1780398000000, 1780405200000, 7200),
    ('session-2', 1, 2, 1780482600000, 1780484400000, 1800),
    ('session-3', 2, 1, 1780410600000, 1780412400000, 1800),
    ('session-4', 2, 3, 1780410600000, 1780414200000, 3600);

insert into player_stats (id, player_n, server_n, at, stats_json, kills_gain, deaths_gain, wins_gain) values
    ('stats-1', 1, 1, 1780401600000, '{"kills":4,"deaths":1,"wins":0}', 4, 1, 0),
    ('stats-2', 1, 1, 1780405200000, '{"kills":7,"deaths":2,"wins":1}', 3, 1, 1);
