insert into key_usage_minutes (key_n, minute, endpoint, status, requests, bytes) values
    (1, 1780444800000, '/servers', '2xx', 10, 1000);
insert into quota_alerts (key_n, span, window_start, percent, at) values (1, 'day', 1780444800000, 80, 1780488000000);
insert into passkey_challenges (hash, bound_to, ends_at) values ('c0ffee', 'sign-in 5e551000', 1780488300000);
