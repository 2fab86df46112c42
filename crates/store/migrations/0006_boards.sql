-- Leaderboards add up the sessions and reports of the players who moved: all that counts of one player stands in one
-- place of an index. Who moved because time passed is found by when it was and on which server, which never change:
-- a session that goes on is written to one of the two.
drop index sessions_player;
create index sessions_player on sessions (player_n, joined_at, server_n, play_time);
drop index sessions_since;
create index sessions_since on sessions (joined_at, player_n, server_n);
drop index player_stats_player;
create index player_stats_player on player_stats (player_n, at, server_n, kills_gain, wins_gain);
drop index player_stats_since;
create index player_stats_since on player_stats (at, player_n, server_n);
