-- Login sessions. In the ledger, so that a login never waits for an import. `account_n` is `accounts.n`; account numbers are never
-- reused.
create table sign_ins (
    -- Of the cookie, which is not stored.
    hash text primary key,
    -- The public id in lists and forms.
    id text not null,
    account_n bigint not null,
    generation bigint not null,
    -- The password was right; the second factor is still missing.
    half boolean not null,
    created_at bigint not null,
    seen_at bigint not null,
    ends_at bigint not null,
    agent text not null,
    address text not null
);
create index sign_ins_account on sign_ins (account_n);
create index sign_ins_end on sign_ins (ends_at);

-- Browsers with a successful login: failed attempts from elsewhere do not throttle them.
create table known_browsers (
    hash text not null,
    account_n bigint not null,
    ends_at bigint not null,
    primary key (hash, account_n)
);
create index known_browsers_end on known_browsers (ends_at);

-- The last accepted TOTP time step: a code is valid once.
create table second_factor_steps (
    account_n bigint primary key,
    step bigint not null
);
