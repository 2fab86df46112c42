-- Votes that people cast on the site, and their delivery to game servers.

-- Who has voted for a server on a day, which `day` starts: an account, a nickname and an address each vote once. Rows are
-- deleted after two days.
create table vote_guards (
    server_n bigint not null references servers (n) on delete cascade,
    day bigint not null,
    -- 'account:' and its number, 'name:' and the folded nickname, 'address:' and the HMAC of the address.
    voter text not null,
    primary key (server_n, day, voter)
) {clustered};
create index vote_guards_day on vote_guards (day);

-- The key of each day for the HMAC of addresses; deleted with the rows above, after which nobody can tell the addresses.
create table vote_address_keys (
    day bigint primary key,
    secret text not null
);

-- Where the votes of a server are sent to.
create table vote_receivers (
    server_n bigint primary key references servers (n) on delete cascade,
    -- 'v1' or 'v2'
    protocol text not null,
    host text not null,
    port bigint not null,
    -- The token of v2, or the public key of v1.
    secret text not null,
    -- Votes that may have arrived are sent again.
    repeats_uncertain boolean not null,
    -- Consecutive attempts that could not be sent, and when the next one is due.
    failures bigint not null,
    retry_at bigint not null,
    changed_at bigint not null
);

-- One row per vote, deleted after 30 days. `state` is unclaimed (no receiver), claimed, waiting, sending, retrying, delivered,
-- uncertain or rejected. A node that is going to send sets `sending` first; if it dies, nobody knows whether the vote arrived.
create table vote_deliveries (
    n {serial},
    server_n bigint not null references servers (n) on delete cascade,
    vote_id text not null unique,
    username text not null,
    username_key text not null,
    voted_at bigint not null,
    state text not null,
    attempts bigint not null,
    -- When something is to be done; null: nothing.
    due_at bigint,
    -- Why the last attempt failed.
    detail text not null,
    updated_at bigint not null
);
create index vote_deliveries_due on vote_deliveries (due_at) where due_at is not null;
create index vote_deliveries_server on vote_deliveries (server_n, n);
create index vote_deliveries_name on vote_deliveries (server_n, username_key, voted_at);
create index vote_deliveries_voted on vote_deliveries (voted_at);
create index {online} votes_account on votes (account_n, voted_at);
