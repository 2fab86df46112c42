-- A snapshot of all leaderboards: a start continues from it instead of summing all sessions. It is only a cache; if it is missing or
-- outdated, everything is recomputed.
create table standings (
    made bigint not null,
    part bigint not null,
    points {bytes} not null,
    primary key (made, part)
);

-- Describes the complete snapshot. At most one row.
create table standings_head (
    made bigint not null primary key,
    epoch bigint not null,
    rev bigint not null,
    at bigint not null,
    players bigint not null,
    reckoning bigint not null,
    hidden text not null
);

-- Covering indexes for the queries at start and every minute.
drop index votes_recent;
create index votes_recent on votes (voted_at, server_n);
create index servers_hidden on servers (n) where visibility <> 'PUBLIC';
