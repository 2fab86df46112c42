-- A vote and a player who is on a server.
insert into events (n, at, kind, server_n, player_n, subject, facts) values (1823227084801024, 1780495200001, 5, 1, 1, 'vote-1', '');
insert into attendance (server_n, player_n) values (1, 1);
