-- Accounts on the site and game accounts of the same people: one of each.
create table player_links (
    account_n bigint primary key references accounts (n) on delete cascade,
    player_n bigint not null unique references players (n) on delete cascade,
    -- 'join': proved by joining our listener; 'report': a game server vouches for it, `server_n`.
    method text not null,
    server_n bigint references servers (n) on delete set null,
    linked_at bigint not null
);
