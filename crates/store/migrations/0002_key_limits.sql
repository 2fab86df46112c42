-- Expiry and limits of a key. A limit of 0 means the configured default.
alter table keys add column expires_at bigint;
-- When a rotated secret expires; null: never.
alter table key_secrets add column ends_at bigint;

-- Keys have their own revision, so that a change of a key never waits for a long import.
create table key_state (
    one bigint primary key check (one = 1),
    rev bigint not null
);
insert into key_state (one, rev) values (1, 1);
alter table store_state drop column keys_rev;
