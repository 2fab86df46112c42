-- The windows of 2026-06-03T14:00, 2026-06-03 and 2026-06.
insert into key_windows (key_n, minute_start, minute_used, day_start, day_used, month_start, month_used) values
    (1, 1780495200000, 5, 1780444800000, 120, 1780272000000, 4000);
insert into key_uses (key_n, last_used_at) values (1, 1780495199000);
insert into key_usage (key_n, hour, endpoint, status, requests, bytes) values
    (1, 1780408800000, '/servers', '2xx', 70, 7000),
    (1, 1780405200000, '/servers', '2xx', 30, 3000),
    (1, 1780491600000, '/players/{id}', '4xx', 20, 400);
