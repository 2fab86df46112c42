-- Accounts that can sign in. Those that only appear (owners of skins, voters) have no row here.
create table logins (
    account_n bigint primary key references accounts (n) on delete cascade,
    -- Argon2id, as a PHC string.
    password text not null,
    -- Whoever signed in under an older generation is signed out: a new password begins a new one.
    generation bigint not null,
    operator boolean not null,
    disabled boolean not null,
    -- Base32; null: no second factor.
    second_factor text
);

-- Each is good for one sign-in without the second factor. Only the hash is kept.
create table recovery_codes (
    hash text primary key,
    account_n bigint not null references logins (account_n) on delete cascade
);
create index recovery_codes_account on recovery_codes (account_n);

-- Each is good for one sign-up. Only the hash is kept.
create table invitations (
    hash text primary key,
    made_by text not null,
    created_at bigint not null,
    ends_at bigint not null
);

-- Switched off by an operator: its holder cannot switch it on again.
alter table keys add column blocked boolean not null default false;
create index keys_account on keys (account_n);

-- `status` is open, granted or refused; a key has at most one that is open.
create table limit_requests (
    n {serial},
    id text not null unique,
    key_n bigint not null references keys (n) on delete cascade,
    per_minute bigint not null,
    per_day bigint not null,
    per_month bigint not null,
    reason text not null,
    status text not null,
    answer text not null,
    created_at bigint not null,
    decided_at bigint
);
create index limit_requests_key on limit_requests (key_n);
create index limit_requests_status on limit_requests (status);

-- What was changed of a key or an account. `account_n` is whose it is, `actor` who did it. It outlives the key.
create table audit (
    n {serial},
    at bigint not null,
    account_n bigint references accounts (n) on delete set null,
    key_id text,
    key_name text,
    actor text not null,
    address text,
    action text not null,
    detail text not null
);
create index audit_account on audit (account_n, n);
