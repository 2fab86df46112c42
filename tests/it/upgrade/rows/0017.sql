insert into listings (server_n, submitted_by, submitted_at, status, waits_for, reason, visibility, banner)
values (1, 1, 1780495100000, 'APPROVED', '', '', 'PUBLIC', '');
insert into server_editors (server_n, account_n, added_at) values (1, 1, 1780495100000);
insert into server_claims (server_n, account_n, code, token_hash, token_hint, host, port, created_at, ends_at)
values (1, 1, 'rollcall-ABCDEFGHJK', '', '', 'play.example', 25565, 1780495100000, 1780581500000);
