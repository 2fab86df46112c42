-- Polls changed the first 63 servers.
insert into server_groups (group_n, status_rev) values (0, 1);
update servers set status_rev = 1;
