-- When each server is polled next. A claim moves it twice as often as anything else of a server changes, so it has a narrow table of its
-- own, which PostgreSQL does not log: after a crash or on a promoted replica the table is empty, and all polls are planned again.
create {unlogged} table poll_schedule (
    server_n bigint primary key references tracking (server_n) on delete cascade,
    due_at bigint not null
);
{postgres} alter table poll_schedule set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
insert into poll_schedule (server_n, due_at) select server_n, due_at from tracking;
create index poll_schedule_due on poll_schedule (due_at);
drop index tracking_due;
alter table tracking drop column due_at;

-- Programs without this table would plan their polls elsewhere.
update schema_compatibility set oldest_program = 28;
