-- A session that ran when the server was last polled.
insert into running_sessions (player_n, server_n, joined_at, left_at) values (2, 3, 1780410600000, 1780414200000);
update tracking set pending_complete = '' where server_n = 1;
