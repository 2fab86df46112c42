insert into vote_address_keys (day, secret) values (1780444800000, '5ec5ec');
insert into vote_guards (server_n, day, voter) values (1, 1780444800000, 'name:ada');
insert into vote_receivers (server_n, protocol, host, port, secret, repeats_uncertain, failures, retry_at, changed_at)
values (1, 'v2', 'votes.example', 8192, 'token', false, 0, 0, 1780495100000);
insert into vote_deliveries (server_n, vote_id, username, username_key, voted_at, state, attempts, due_at, detail, updated_at)
values (1, 'vote-upgrade', 'Ada', 'ada', 1780495100000, 'delivered', 1, null, '', 1780495100000);
