update keys set restrictions = '{"networks":["192.0.2.0/24"],"origins":[],"endpoints":["/capes"]}' where n = 3;
insert into passkeys (id, credential, account_n, name, public_key, counter, created_at) values
    ('00000000000000000007', 'YWJj', 2, 'laptop', 'es256:04', 3, 1780488000000);
