-- What the service signs with, made once and shared by all machines over one store.
create table secrets (
    name text primary key,
    value text not null
);
