insert into favorite_collections (id, account_n, name, created_at) values ('collection-upgrade', 2, 'Sea', 1780495100000);
insert into favorite_places (account_n, texture_n, added_at, collection_n) values (2, 1, 1780495100000, 1);
insert into texture_visits (texture_n, day, visitor) values (1, 1780444800000, 'view:account:2');
insert into texture_trends (texture_n, trend) values (1, 6868.5);
