-- What people do with skins and capes. Likes and favorites have tables already.

-- Collections of favorites. Only their account sees them.
create table favorite_collections (
    n {serial},
    id text not null unique,
    account_n bigint not null references accounts (n) on delete cascade,
    name text not null,
    created_at bigint not null
);
create index favorite_collections_account on favorite_collections (account_n, n);

-- When an account marked a favorite, and the collection that it is in; null: none. An imported favorite may have no row.
create table favorite_places (
    account_n bigint not null references accounts (n) on delete cascade,
    texture_n bigint not null references textures (n) on delete cascade,
    added_at bigint not null,
    collection_n bigint references favorite_collections (n) on delete set null,
    primary key (account_n, texture_n)
) {clustered};
create index favorite_places_texture on favorite_places (texture_n);
create index favorite_places_collection on favorite_places (collection_n);

-- Which act of a visitor counts on a day, which `day` starts. Rows are deleted after two days.
create table texture_visits (
    texture_n bigint not null references textures (n) on delete cascade,
    day bigint not null,
    -- 'view:', 'download:', 'like:' or 'favorite:', then 'account:' and its number or 'address:' and the HMAC of the address with
    -- the key of the day, which is in vote_address_keys.
    visitor text not null,
    primary key (texture_n, day, visitor)
) {clustered};
create index texture_visits_day on texture_visits (day);

-- Acts that decay with time, as a logarithm: it changes with an act only. A texture without one has no row.
create table texture_trends (
    texture_n bigint primary key references textures (n) on delete cascade,
    trend double precision not null
);

-- Hidden by a moderator after a report: shown nowhere, and worn by no one. No rewrite of the table: the default is a constant.
alter table textures add column hidden boolean not null default false;

-- Favorites and likes of an account. Sorts both tables.
create index {online} texture_likes_account on texture_likes (account_n);
create index {online} texture_favorites_account on texture_favorites (account_n);
