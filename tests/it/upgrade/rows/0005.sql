update servers set edition = 'java', query_port = 25565 where slug = 'harbor';
update players set nickname_at = 1779000000000 where id = 'player-ada';
insert into tracking (server_n, due_at, sample_at, sample_online, sample_players, sample_pause, failures, failing_since, form,
                      icon_hash, motd_hash, pictured_at, note) values
    (0, 1780495230000, 1780495170000, true, 42, 60000, 0, null, '', '', '', 0, ''),
    (1, 1780495230000, 1780495170000, true, 42, 60000, 0, null, 'java', '', '', 1780488000000, ''),
    (2, 1780495200000, 1780495140000, false, 0, 60000, 3, 1780495020000, 'java', '', '', 1780488000000, '');
insert into outages (server_n, began_at, ended_at, reason) values
    (1, 1780358400000, 1780358832000, 'timeout'), (2, 1780495020000, null, 'refused');
