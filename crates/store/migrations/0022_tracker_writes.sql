-- Fewer bytes per poll. All columns have constant defaults, so that no table is rewritten.

-- Samples that no table has yet, see `pending_samples.rs`. They stay at most until the next poll after their five minutes.
alter table tracking add column pending text not null default '';

-- The revision at which a poll last changed the server; `rev` is that of any other change. It has no index, because an index makes
-- each update write all indexes of the table; `server_groups` says instead in which servers to look.
alter table servers add column status_rev bigint not null default 0;
-- Servers by number, 64 in each group, and the newest `status_rev` of each group.
create table server_groups (
    group_n bigint primary key,
    status_rev bigint not null
);

-- Free space in each page: an update whose new row fits beside the old one and changes no indexed column writes no index.
{postgres} alter table servers set (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05);
{postgres} alter table tracking set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
{postgres} alter table server_groups set (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05);

-- Programs without this column do not see what polls change, and export without what waits.
update schema_compatibility set oldest_program = 22;
