-- What the gate writes while it serves. On SQLite a file of its own: an import may hold the other one's write lock for
-- minutes, and nobody's quota may wait for that. `key_n` is `keys.n`; numbers of keys are never used again.

-- What has been reserved of each key's windows, the unused rest of running reservations included.
create table key_windows (
    key_n bigint primary key,
    minute_start bigint not null,
    minute_used bigint not null,
    day_start bigint not null,
    day_used bigint not null,
    month_start bigint not null,
    month_used bigint not null
);

create table key_uses (
    key_n bigint primary key,
    last_used_at bigint not null
);

-- `status` is 2xx, 3xx, 4xx, 429 or 5xx; a 429 is not among the 4xx.
create table key_usage (
    key_n bigint not null,
    hour bigint not null,
    endpoint text not null,
    status text not null,
    requests bigint not null,
    bytes bigint not null,
    primary key (key_n, hour, endpoint, status)
) {clustered};
create index key_usage_hour on key_usage (hour);
