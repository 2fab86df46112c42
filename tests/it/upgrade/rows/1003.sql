-- SHA-256 of the session cookie in `mod.rs`.
insert into sign_ins (hash, id, account_n, generation, half, created_at, seen_at, ends_at, agent, address) values
    ('fb46464241d2dc3d087b97a6d04df2dce852d4fbb54b0847a36f5198edcaf94e', 'session-of-mara', 2, 1, false, 1780488000000,
     1780495100000, 1781000000000, 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', '192.0.2.7');
