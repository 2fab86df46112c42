-- A server and a key that were deleted.
insert into server_removals (server_n, rev) values (999999, 1);
insert into key_removals (key_n, rev) values (999999, 1);
