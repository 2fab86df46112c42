-- How a server is polled. Seeded demo servers are not polled.
alter table servers add column edition text not null default 'java';
-- The GameSpy query port; null: none.
alter table servers add column query_port bigint;
alter table servers add column is_tracked boolean not null default true;
-- When the nickname last changed: the game allows a new one every 30 days.
alter table players add column nickname_at bigint not null default 0;

-- Tracker state of each server; a separate small table, because every poll changes it. Row 0 is the sum of all servers. A tracker
-- claims a poll by moving `due_at` to the next one; if it crashes, the server becomes due again.
create table tracking (
    server_n bigint primary key,
    due_at bigint not null,
    -- The newest sample; null: none yet.
    sample_at bigint,
    sample_online boolean not null,
    sample_players bigint not null,
    -- Milliseconds until the next sample was due; after a few of these the sample is outdated.
    sample_pause bigint not null,
    -- Consecutive failed polls, and the time of the first.
    failures bigint not null,
    failing_since bigint,
    -- The protocol variant that worked last.
    form text not null,
    -- Hashes of the raw icon and MOTD that were painted last, and when.
    icon_hash text not null,
    motd_hash text not null,
    pictured_at bigint not null,
    -- What was rejected as implausible in the last status; empty: nothing.
    note text not null
);
create index tracking_due on tracking (due_at);

-- Periods in which a server was unreachable; `ended_at` is null while one lasts.
create table outages (
    server_n bigint not null references servers (n) on delete cascade,
    began_at bigint not null,
    ended_at bigint,
    reason text not null,
    primary key (server_n, began_at)
) {clustered};

-- Finds the latest session of a player on a server.
create index sessions_at on sessions (player_n, server_n, left_at);
