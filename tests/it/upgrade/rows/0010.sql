update servers set operator_trust = 'sampled' where slug = 'harbor';
update tracking set address = '192.0.2.7', unconfirmed_polls = 1 where server_n = 1;
update tracking set suspected_at = 1780400000000, suspicion = 'contradicting ids' where server_n = 2;
update samples set rejected_players = 900000 where server_n = 1 and at = 1780495110000;
insert into reported_names (server_n, player_n, nickname, nickname_key, since, seen_at) values
    (1, 1, 'Ada', 'ada', 1780398000000, 1780405200000);
update players set nickname_server_n = 1, played_until = 1780484400000 where id = 'player-ada';
