-- How a server is asked. What a seed imagines is not asked at all.
alter table servers add column edition text not null default 'java';
-- Where it answers GameSpy queries; null: nowhere.
alter table servers add column query_port bigint;
alter table servers add column is_tracked boolean not null default true;
-- When the nickname last changed: the game allows a new one every 30 days.
alter table players add column nickname_at bigint not null default 0;

-- What the tracker knows of each server beyond what it shows; small, since it changes with every round. Row 0 is the
-- whole roll. Taking a round moves `due_at` to the next: whoever moved it has the server until then, and when he dies
-- it is due again by itself.
create table tracking (
    server_n bigint primary key,
    due_at bigint not null,
    -- The newest sample: what held since then. Null: none yet.
    sample_at bigint,
    sample_online boolean not null,
    sample_players bigint not null,
    -- Milliseconds until the round after it was meant to come; past some of these it holds no longer.
    sample_pause bigint not null,
    -- Rounds that failed one after the other, and when the first of them was.
    failures bigint not null,
    failing_since bigint,
    -- The form of the protocol that worked last.
    form text not null,
    -- Hashes of the icon and the message that were drawn last, as they came, and when that was.
    icon_hash text not null,
    motd_hash text not null,
    pictured_at bigint not null,
    -- What was not believed of the last answer; empty: all was.
    note text not null
);
create index tracking_due on tracking (due_at);

-- Times in which a server did not answer; `ended_at` is null while it lasts.
create table outages (
    server_n bigint not null references servers (n) on delete cascade,
    began_at bigint not null,
    ended_at bigint,
    reason text not null,
    primary key (server_n, began_at)
) {clustered};

-- A session that goes on is found by its player and server.
create index sessions_at on sessions (player_n, server_n, left_at);
