insert into player_links (account_n, player_n, method, linked_at) values (1, 1, 'join', 1780495100000);
insert into join_codes (game_uuid, hash, nickname, ends_at) values ('00000000-0000-4000-8000-0000000000aa', 'join-hash', 'Joining', 1780495400000);
insert into account_link_codes (account_n, hash, ends_at) values (1, 'account-hash', 1780495400000);
insert into erased_players (hash, erased_at) values ('erased-hash', 1780495100000);
