-- Captcha and playground state, written while requests are served.

-- Accepted captcha solutions; each is valid once, on all machines.
create table spent_solutions (
    hash text primary key,
    expires_at bigint not null
) {clustered};
create index spent_solutions_expires on spent_solutions (expires_at);

-- A pass is identified by the hash of its token and bound to one client IP.
create table playground_passes (
    hash text primary key,
    address text not null,
    runs_left bigint not null,
    expires_at bigint not null
) {clustered};
create index playground_passes_expires on playground_passes (expires_at);

-- Quota of each client IP; an IPv6 /64 network counts as one.
create table playground_windows (
    address text primary key,
    minute_start bigint not null,
    minute_used bigint not null,
    day_start bigint not null,
    day_used bigint not null
) {clustered};
create index playground_windows_day on playground_windows (day_start);
