-- Each key says when it last changed, so that a change of one does not have all of them loaded anew. A new `epoch` does:
-- keys were deleted, or came from a file.
alter table keys add column rev bigint not null default 0;
create index keys_rev on keys (rev);
alter table key_state add column epoch bigint not null default 1;
