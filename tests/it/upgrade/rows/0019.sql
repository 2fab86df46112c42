insert into texture_uploads (id, kind, slug, account_n, name, description, model, tags, png, pixel_hash, status, visibility, based_on,
                             created_at, updated_at)
values ('upload-upgrade', 'skin', 'red-fox-upgrade', 2, 'Red fox', '', 'slim', 'fox,red', 'upload/00000000000000000000000000000000.png',
        'hash-upgrade', 'PENDING', 'PUBLIC', null, 1780495100000, 1780495100000);
insert into texture_removals (texture_n, is_skin, rev) values (999999, true, 1);
