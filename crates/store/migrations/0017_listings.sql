-- Servers that people submit, and who may manage them.

-- One row per server that was submitted or claimed on the site; servers that operators add have none.
create table listings (
    server_n bigint primary key references servers (n) on delete cascade,
    submitted_by bigint references accounts (n) on delete set null,
    submitted_at bigint not null,
    -- PENDING, APPROVED, REJECTED or HIDDEN. Only approved servers are as visible as their owner wants.
    status text not null,
    -- What a pending server waits for: 'ping' (its first reply) or 'review' (a moderator).
    waits_for text not null,
    -- Why it is held, rejected or hidden, in words for its owner.
    reason text not null,
    -- What the owner wants: PUBLIC, UNLISTED or HIDDEN. `servers.visibility` is what follows from all of this.
    visibility text not null,
    -- The path of the banner that the owner uploaded; empty: it is drawn from the name.
    banner text not null,
    -- An archived server is hidden and not pinged. A deleted one is archived until it is removed with its history.
    archived_at bigint,
    deleted_at bigint
);
create index listings_submitted_by on listings (submitted_by);
create index listings_waiting on listings (waits_for, submitted_at) where waits_for <> '';
create index listings_deleted on listings (deleted_at) where deleted_at is not null;

-- Accounts that may manage a server beside its owner.
create table server_editors (
    server_n bigint not null references servers (n) on delete cascade,
    account_n bigint not null references accounts (n) on delete cascade,
    added_at bigint not null,
    primary key (server_n, account_n)
) {clustered};
create index server_editors_account on server_editors (account_n);

-- Attempts to prove the ownership of a server, one per account and server. They end after a day.
create table server_claims (
    server_n bigint not null references servers (n) on delete cascade,
    account_n bigint not null references accounts (n) on delete cascade,
    -- What the MOTD or the TXT record must contain.
    code text not null,
    -- The hash of the token for the proof by report; empty: none was created.
    token_hash text not null,
    token_hint text not null,
    -- The address to be proved; another one than the server's if its owner changes it.
    host text not null,
    port bigint not null,
    created_at bigint not null,
    ends_at bigint not null,
    primary key (server_n, account_n)
) {clustered};
create index server_claims_account on server_claims (account_n);
create index server_claims_token on server_claims (token_hash) where token_hash <> '';
create index {online} servers_owner on servers (owner_n);
