-- Everybody's points on every leaderboard as they stood at a moment: a start goes on from there instead of adding up all
-- sessions. Nothing but a copy. Without it, or when it is of another time, everything is counted.
create table standings (
    made bigint not null,
    part bigint not null,
    points {bytes} not null,
    primary key (made, part)
);

-- Which set is whole, and what it knows of. One row at most.
create table standings_head (
    made bigint not null primary key,
    epoch bigint not null,
    rev bigint not null,
    at bigint not null,
    players bigint not null,
    reckoning bigint not null,
    hidden text not null
);

-- What a start and every minute ask for is all in the index.
drop index votes_recent;
create index votes_recent on votes (voted_at, server_n);
create index servers_hidden on servers (n) where visibility <> 'PUBLIC';
