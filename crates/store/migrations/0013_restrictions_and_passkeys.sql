-- Networks, origins and endpoints that a key is accepted for, as JSON. Null: no restriction. No rewrite of the table.
alter table keys add column restrictions text;

-- Passkeys of accounts. Only public keys are stored.
create table passkeys (
    id text primary key,
    credential text not null unique,
    account_n bigint not null references logins (account_n) on delete cascade,
    name text not null,
    public_key text not null,
    -- The signature counter of the last use; 0 for authenticators without one.
    counter bigint not null,
    created_at bigint not null,
    used_at bigint
);
create index passkeys_account on passkeys (account_n);
