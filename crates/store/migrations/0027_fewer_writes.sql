-- Sessions that run on a server whose lists are complete: they last until its last reply, `tracking.sample_at`, so that a player who
-- stays costs no write. Their end is written when the player leaves. A new table, so that nothing waits for an index.
create table running_sessions (
    player_n bigint primary key references players (n) on delete cascade,
    -- The session of this player that began here at this time. No foreign key: each insert would lock the row of the server.
    server_n bigint not null,
    joined_at bigint not null,
    -- Its end as it is stored; it is also the `last_seen_at` of the player.
    left_at bigint not null
) {clustered};

-- Samples whose five minutes are over wait here for the rest of their half hour, see `pending_samples.rs`. The last column, because a
-- part of a row that does not change costs nothing in the log of PostgreSQL if it is at the end.
alter table tracking add column pending_complete text not null default '';

-- Programs without this table would take the stored end for the real one.
update schema_compatibility set oldest_program = 27;
