-- The revision of each key, so that a change reloads only that key. A new `epoch` reloads all: keys were deleted or imported.
alter table keys add column rev bigint not null default 0;
create index keys_rev on keys (rev);
alter table key_state add column epoch bigint not null default 1;
