-- Deleted rows that read models still hold: without a row there is nothing that could carry a revision. One row per deletion.
create table server_removals (
    server_n bigint primary key,
    rev bigint not null
);
create index server_removals_rev on server_removals (rev);

create table key_removals (
    key_n bigint primary key,
    rev bigint not null
);
create index key_removals_rev on key_removals (rev);

-- The newest migration that a program must know to use this store. A later migration that older programs cannot work with raises
-- it; they refuse the store then, and work side by side with newer ones otherwise.
create table schema_compatibility (
    oldest_program bigint not null
);
insert into schema_compatibility (oldest_program) values (21);
