-- A key may end by itself. A limit of 0 means: as configured.
alter table keys add column expires_at bigint;
-- The end of a rotation's grace; null: the secret lives as long as its key.
alter table key_secrets add column ends_at bigint;

-- Keys have a state of their own, so that changing one never waits for a long import to commit.
create table key_state (
    one bigint primary key check (one = 1),
    rev bigint not null
);
insert into key_state (one, rev) values (1, 1);
alter table store_state drop column keys_rev;
