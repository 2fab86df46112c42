-- What the human check and the playground write while they serve.

-- Solutions of checks that were accepted: each is good once, wherever and whenever it comes again.
create table spent_solutions (
    hash text primary key,
    expires_at bigint not null
) {clustered};
create index spent_solutions_expires on spent_solutions (expires_at);

-- A pass is known by the hash of its token and good for one client address.
create table playground_passes (
    hash text primary key,
    address text not null,
    runs_left bigint not null,
    expires_at bigint not null
) {clustered};
create index playground_passes_expires on playground_passes (expires_at);

-- What each client address has used; an IPv6 network of /64 is one.
create table playground_windows (
    address text primary key,
    minute_start bigint not null,
    minute_used bigint not null,
    day_start bigint not null,
    day_used bigint not null
) {clustered};
create index playground_windows_day on playground_windows (day_start);
