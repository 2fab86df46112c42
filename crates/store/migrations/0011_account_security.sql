-- Security of accounts.

-- Until when a password that an operator made is valid; its user must replace it. Null: the user's own password.
alter table logins add column password_expires_at bigint;

-- Changes of credentials that the user has not been told of yet. Deleted when they are shown, after the next sign-in.
create table credential_changes (
    n {serial},
    account_n bigint not null references logins (account_n) on delete cascade,
    at bigint not null,
    -- The same words as in the audit log.
    what text not null,
    actor text not null
);
create index credential_changes_account on credential_changes (account_n);

-- Of a deleted account: its id, and when the entry is deleted. Its name is nowhere in the log.
alter table audit add column deleted_account text;
alter table audit add column ends_at bigint;
create index audit_end on audit (ends_at);
