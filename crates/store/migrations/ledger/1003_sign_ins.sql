-- Who is signed in. It changes while the service serves, so it is here: nobody's sign-in may wait for an import.
-- `account_n` is `accounts.n`; numbers of accounts are never used again.
create table sign_ins (
    -- Of the cookie, which itself is kept nowhere.
    hash text primary key,
    -- What a list shows it by and a form names it by.
    id text not null,
    account_n bigint not null,
    generation bigint not null,
    -- The password was right, and the second factor is still to come.
    half boolean not null,
    created_at bigint not null,
    seen_at bigint not null,
    ends_at bigint not null,
    agent text not null,
    address text not null
);
create index sign_ins_account on sign_ins (account_n);
create index sign_ins_end on sign_ins (ends_at);

-- Browsers that an account signed in with before: guesses made elsewhere do not hold them up.
create table known_browsers (
    hash text not null,
    account_n bigint not null,
    ends_at bigint not null,
    primary key (hash, account_n)
);
create index known_browsers_end on known_browsers (ends_at);

-- The last time step whose code was accepted: a code is good once.
create table second_factor_steps (
    account_n bigint primary key,
    step bigint not null
);
