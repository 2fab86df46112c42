-- The password is `PASSWORD` of the harness, hashed with Argon2id.
insert into logins (account_n, password, generation, operator, disabled, second_factor) values
    (2, '$argon2id$v=19$m=19456,t=2,p=1$b2xkLXN0b3JlLXNhbHQtMQ$v/KkUNlhL+G1RN90dRBT/6AyOvHK0mwq4+BF5m83Z7A', 1, false, false, null);
insert into limit_requests (id, key_n, per_minute, per_day, per_month, reason, status, answer, created_at, decided_at) values
    ('request-1', 1, 600, 20000, 400000, 'The status page has more visitors now.', 'open', '', 1780488000000, null);
insert into audit (at, account_n, key_id, key_name, actor, address, action, detail) values
    (1780488000000, 2, 'key-of-mara', 'Status page', 'Mara', '192.0.2.7', 'key rotated', '');
