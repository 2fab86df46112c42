insert into player_links (account_n, player_n, method, linked_at) values (1, 1, 'join', 1780495100000);
