-- The log of a deleted account.
insert into audit (at, actor, address, action, detail, deleted_account, ends_at) values
    (1780488000000, 'deleted account 00000000000000000009', '192.0.2.9', 'account deleted', '', '00000000000000000009', 4102444800000);
