-- Usage per UTC day, written together with the hours: reports over months read 24 times fewer rows.
create table key_usage_days (
    key_n bigint not null,
    day bigint not null,
    endpoint text not null,
    status text not null,
    requests bigint not null,
    bytes bigint not null,
    primary key (key_n, day, endpoint, status)
) {clustered};
insert into key_usage_days (key_n, day, endpoint, status, requests, bytes)
select key_n, hour - hour % 86400000, endpoint, status, sum(requests), sum(bytes) from key_usage group by 1, 2, 3, 4;
create index key_usage_days_day on key_usage_days (day);
