-- Quotas and usage, written while requests are served. On SQLite a separate file: an import may hold the main file's write lock for
-- minutes, and quotas must not wait for it. `key_n` is `keys.n`; key numbers are never reused.

-- The reserved requests of each key, including the unused rest of current reservations.
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

-- `status` is 2xx, 3xx, 4xx, 429 or 5xx; 4xx excludes 429.
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
