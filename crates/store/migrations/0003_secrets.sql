-- Signing secrets, shared by all machines of one store.
create table secrets (
    name text primary key,
    value text not null
);
