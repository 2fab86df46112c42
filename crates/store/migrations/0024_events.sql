-- The newest number given to an event. A transaction takes numbers under the lock of this row, which it holds until it commits: events
-- become visible in the order of their numbers.
alter table store_state add column event_n bigint not null default 0;

-- What happened to servers and players, for GET /v1/events. Rows are written in the transaction that causes them and kept for 30 days.
-- Names, titles and visibility are joined when an event is read, so that what is hidden or erased later disappears.
create table events (
    -- The time in milliseconds, shifted by ten bits, or the number after the last one if that is higher. Never used again, not even
    -- after a restore.
    n bigint primary key,
    at bigint not null,
    -- The kind as a number: 20 million rows a day would repeat its name.
    kind bigint not null,
    server_n bigint references servers (n) on delete cascade,
    player_n bigint references players (n) on delete cascade,
    -- The public id of the vote, review, post or skin.
    subject text,
    -- A JSON object with what is stored nowhere else; empty: nothing.
    facts text not null
) {clustered};
create index events_server on events (server_n, n);
create index events_player on events (player_n, n);
create index events_kind on events (kind, n);

-- Players who have joined a server and not left it, as far as events have told.
create table attendance (
    server_n bigint not null references servers (n) on delete cascade,
    player_n bigint not null references players (n) on delete cascade,
    primary key (server_n, player_n)
) {clustered};
create index attendance_player on attendance (player_n);

-- The highest believed player count, the one that an event told last, and when; null before the first poll.
alter table tracking add column peak bigint;
alter table tracking add column peak_told bigint;
alter table tracking add column peak_told_at bigint;
