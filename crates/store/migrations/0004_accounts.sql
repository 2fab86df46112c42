-- Accounts that can sign in. Accounts that only own skins or vote have no row here.
create table logins (
    account_n bigint primary key references accounts (n) on delete cascade,
    -- An Argon2id hash in PHC format.
    password text not null,
    -- Raised by a new password; sessions of an older generation are invalid.
    generation bigint not null,
    operator boolean not null,
    disabled boolean not null,
    -- The TOTP secret in base32; null: no second factor.
    second_factor text
);

-- Single-use codes that replace the second factor. Only hashes are stored.
create table recovery_codes (
    hash text primary key,
    account_n bigint not null references logins (account_n) on delete cascade
);
create index recovery_codes_account on recovery_codes (account_n);

-- Single-use invitations to sign up. Only hashes are stored.
create table invitations (
    hash text primary key,
    made_by text not null,
    created_at bigint not null,
    ends_at bigint not null
);

-- Disabled by an operator; the owner cannot enable it.
alter table keys add column blocked boolean not null default false;
create index keys_account on keys (account_n);

-- `status` is open, granted or refused; a key has at most one open request.
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

-- The audit log of keys and accounts. `account_n` is the owner, `actor` the author of the change. Entries outlive the key.
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
