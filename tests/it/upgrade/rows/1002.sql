insert into playground_passes (hash, address, runs_left, expires_at) values ('pass', '127.0.0.1', 2, 1780498800000);
insert into playground_windows (address, minute_start, minute_used, day_start, day_used) values
    ('127.0.0.1', 1780495200000, 1, 1780444800000, 1);
insert into spent_solutions (hash, expires_at) values ('spent', 1780498800000);
