-- A second secret of the first key: a rotation whose grace period ends an hour from now.
insert into key_secrets (hash, key_n, hint, created_at, ends_at) values
    ('1c8e05dc70cb875d97355be0873f604ce046596ecc66a5eb9b548b01911165e2', 1, 'rc_Rota…', 1780488000000, 1780498800000);
update keys set expires_at = 1798761600000 where id = 'key-of-mara';
