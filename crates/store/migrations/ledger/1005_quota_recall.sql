-- Which process holds requests of a key that it has reserved and not used (0: none, -1: several), and whether another one waits
-- for them. No rewrite of the table: the defaults are constants. The index holds the few keys that are waited for.
alter table key_windows add column holder bigint not null default 0;
alter table key_windows add column recalled bigint not null default 0;
create index key_windows_recalled on key_windows (key_n) where recalled = 1;
