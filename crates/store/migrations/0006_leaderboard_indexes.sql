-- Leaderboard updates sum the sessions and reports of changed players: covering indexes by player. Players who change because time
-- passes are found by time and server; these columns never change, so extending a session writes to only one of the two indexes.
drop index sessions_player;
create index sessions_player on sessions (player_n, joined_at, server_n, play_time);
drop index sessions_since;
create index sessions_since on sessions (joined_at, player_n, server_n);
drop index player_stats_player;
create index player_stats_player on player_stats (player_n, at, server_n, kills_gain, wins_gain);
drop index player_stats_since;
create index player_stats_since on player_stats (at, player_n, server_n);
