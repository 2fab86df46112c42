insert into key_usage_days (key_n, day, endpoint, status, requests, bytes) values
    (1, 1780358400000, '/servers', '2xx', 100, 10000),
    (1, 1780444800000, '/players/{id}', '4xx', 20, 400);
