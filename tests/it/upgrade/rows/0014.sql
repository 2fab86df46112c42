insert into server_tokens (hash, server_n, hint, created_at, ends_at)
values ('a2a2a2a2', 1, 'abcd', 1780495100000, null);
insert into server_reports (server_n, received_at, listed_at, tps_at, format, software, mspt, listed, present, notes, recent_ids,
                            refused_at, refusal)
values (1, 1780495100000, 1780495100000, 1780495100000, 'azlink', 'Paper 1.21.4', null, 0, '', '', '', null, '');
