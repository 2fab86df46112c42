-- How far game servers are believed.

-- The trust level that an operator set: 'verified', 'sampled' or 'suspicious'; null: decided by the tracker.
alter table servers add column operator_trust text;

-- The address that answered the last poll: sources at one address are not independent of each other.
alter table tracking add column address text not null default '';
-- The last evidence against the server, and when it was found; null: none.
alter table tracking add column suspected_at bigint;
alter table tracking add column suspicion text not null default '';
-- Consecutive polls with a player count that is not plausible.
alter table tracking add column unconfirmed_polls bigint not null default 0;

-- What the server reported, if it is not plausible; `players` then holds the last plausible count.
alter table samples add column rejected_players bigint;

-- The name under which each server last reported a player with an id, and since when. `seen_at` is exact to the hour.
create table reported_names (
    server_n bigint not null references servers (n) on delete cascade,
    player_n bigint not null references players (n) on delete cascade,
    nickname text not null,
    nickname_key text not null,
    since bigint not null,
    seen_at bigint not null,
    primary key (server_n, player_n)
) {clustered};
create index reported_names_key on reported_names (server_n, nickname_key);
create index reported_names_player on reported_names (player_n);

-- The server that reported the nickname; null: unknown.
alter table players add column nickname_server_n bigint;
-- The time up to which play time has been counted; 0: unknown, then `last_seen_at` is used.
alter table players add column played_until bigint not null default 0;

-- Sessions of one player on several servers overlap; each moment counts once. `play_time` is what counts; `full_time` is the
-- time before the overlap was subtracted, null if nothing was. Sorts all sessions once, and rewrites those that overlap. Earlier
-- versions imported any `play_time`, so that a session takes no time from others after its end.
alter table sessions add column full_time bigint;
create index sessions_overlapping on sessions (player_n) where full_time is not null;
update sessions set
    full_time = o.play_time,
    play_time = case when o.counted_until >= o.ends_at then 0 else (o.ends_at - o.counted_until) / 1000 end
from (
    select x.n, x.play_time, x.joined_at, x.ends_at,
           max(x.ends_at) over (
               partition by x.player_n order by x.joined_at, x.n rows between unbounded preceding and 1 preceding
           ) as counted_until
    from (
        select y.n, y.player_n, y.play_time, y.joined_at,
               case when y.play_time <= 0 then y.joined_at
                    when y.play_time > (y.left_at - y.joined_at) / 1000 then y.left_at
                    else y.joined_at + y.play_time * 1000 end as ends_at
        from sessions y join servers s on s.n = y.server_n where s.visibility = 'PUBLIC'
    ) x
) o
where o.n = sessions.n and o.counted_until > o.joined_at and o.play_time > 0;
update players set total_play_time = players.total_play_time - o.seconds
from (
    select player_n, cast(sum(full_time - play_time) as bigint) as seconds
    from sessions where full_time is not null group by player_n
) o
where o.player_n = players.n;
-- The leaderboards are recomputed if anything changed.
delete from standings_head where exists (select 1 from sessions where full_time is not null);
