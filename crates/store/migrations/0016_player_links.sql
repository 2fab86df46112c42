-- Accounts on the site and game accounts of the same people: one of each.
create table player_links (
    account_n bigint primary key references accounts (n) on delete cascade,
    player_n bigint not null unique references players (n) on delete cascade,
    -- 'join': proved by joining our listener; 'report': a game server vouches for it, `server_n`.
    method text not null,
    server_n bigint references servers (n) on delete set null,
    linked_at bigint not null
);

-- Codes of players who joined our listener. Only hashes are stored; a used or expired one is deleted.
create table join_codes (
    game_uuid text primary key,
    hash text not null unique,
    nickname text not null,
    ends_at bigint not null
);
create index join_codes_end on join_codes (ends_at);

-- Codes of accounts, which a player enters in the game. The same rules.
create table account_link_codes (
    account_n bigint primary key references accounts (n) on delete cascade,
    hash text not null unique,
    ends_at bigint not null
);
create index account_link_codes_end on account_link_codes (ends_at);

-- The player does not want their country to be shown. No rewrite of the table.
alter table players add column hides_country boolean not null default false;

-- Players who opted out: hashes of their UUIDs and names, so that they are recognised and never stored again.
create table erased_players (
    hash text primary key,
    erased_at bigint not null
);

-- When tiers are next taken over from the tier list. Moving `due_at` is the claim: one node does it.
create table tier_sync (
    one bigint primary key check (one = 1),
    due_at bigint not null
);
insert into tier_sync (one, due_at) values (1, 0);
