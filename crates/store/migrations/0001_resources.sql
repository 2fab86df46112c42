-- One text for SQLite and PostgreSQL, with the types text, bigint, double precision and boolean. Times are epoch milliseconds, UTC.
-- `n` is the internal row number for joins and read models; `id` is the public id.
-- {serial}: a row number that the engine assigns. {clustered}: rows in primary key order, if the engine supports it.
-- {online}: an index of a table that may be large already; others use the table while PostgreSQL builds it.

-- One row with the revision of the store. Every write raises `rev`, stamps it on the rows it changes, and holds the lock of this row
-- until it commits: a reader that has seen R has seen every change up to R. A new `epoch` makes readers load everything.
create table store_state (
    one bigint primary key check (one = 1),
    epoch bigint not null,
    rev bigint not null,
    -- The revision at which any key last changed.
    keys_rev bigint not null,
    demo_seed bigint,
    demo_until bigint
);
insert into store_state (one, epoch, rev, keys_rev) values (1, 1, 0, 0);

create table accounts (
    n {serial},
    id text not null unique,
    username text not null,
    username_key text not null unique,
    avatar text not null,
    role text not null,
    created_at bigint not null
);

create table keys (
    n {serial},
    id text not null unique,
    name text not null,
    account_n bigint references accounts (n) on delete cascade,
    per_minute bigint not null,
    per_day bigint not null,
    per_month bigint not null,
    disabled boolean not null,
    created_at bigint not null
);

-- A key has up to two valid secrets while it is being rotated. Only hashes are stored.
create table key_secrets (
    hash text primary key,
    key_n bigint not null references keys (n) on delete cascade,
    hint text not null,
    created_at bigint not null
);
create index key_secrets_key on key_secrets (key_n);

create table servers (
    n {serial},
    id text not null unique,
    -- Reserved: these are fixed paths below /servers.
    slug text not null unique check (slug not in ('top', 'countries', 'versions')),
    name text not null,
    short_description text not null,
    ip text not null,
    port bigint not null,
    icon text not null,
    banner text not null,
    motd_image text not null,
    motd_raw text not null,
    website text,
    chat_url text,
    store_url text,
    video_url text,
    visibility text not null,
    is_online boolean not null,
    current_players bigint not null,
    max_players bigint not null,
    version text not null,
    protocol bigint not null,
    latency bigint not null,
    tps double precision,
    last_ping bigint,
    country text not null,
    game_mode text,
    owner_n bigint references accounts (n) on delete set null,
    created_at bigint not null,
    -- Computed from samples in the background.
    uptime double precision not null,
    trend double precision not null,
    recent_players double precision not null,
    -- Totals, updated in the transaction of the vote or review.
    total_votes bigint not null,
    vote_heat double precision not null,
    vote_heat_at bigint not null,
    rating_sum bigint not null,
    rating_count bigint not null,
    update_count bigint not null,
    rev bigint not null
);
create index servers_rev on servers (rev);

create table server_tags (
    server_n bigint not null references servers (n) on delete cascade,
    position bigint not null,
    tag text not null,
    primary key (server_n, position)
) {clustered};

-- server_n 0 is the sum of all public servers.
create table samples (
    server_n bigint not null,
    at bigint not null,
    online boolean not null,
    players bigint not null,
    latency bigint not null,
    tps double precision,
    primary key (server_n, at)
) {clustered};

create table samples_5m (
    server_n bigint not null,
    at bigint not null,
    watched_ms bigint not null,
    online_ms bigint not null,
    player_ms bigint not null,
    peak bigint not null,
    low bigint not null,
    primary key (server_n, at)
) {clustered};

create table samples_hour (
    server_n bigint not null,
    at bigint not null,
    watched_ms bigint not null,
    online_ms bigint not null,
    player_ms bigint not null,
    peak bigint not null,
    low bigint not null,
    primary key (server_n, at)
) {clustered};

create table samples_day (
    server_n bigint not null,
    at bigint not null,
    watched_ms bigint not null,
    online_ms bigint not null,
    player_ms bigint not null,
    peak bigint not null,
    low bigint not null,
    primary key (server_n, at)
) {clustered};

-- Skins and capes. Only skins have a model.
create table textures (
    n {serial},
    kind text not null,
    id text not null unique,
    slug text not null,
    name text not null,
    description text not null,
    model text,
    png text not null,
    owner_n bigint not null references accounts (n) on delete cascade,
    is_featured boolean not null,
    created_at bigint not null,
    view_count bigint not null,
    download_count bigint not null,
    like_count bigint not null,
    favorite_count bigint not null,
    usage_count bigint not null,
    rev bigint not null,
    unique (kind, slug)
);
create index textures_rev on textures (rev);

create table texture_tags (
    texture_n bigint not null references textures (n) on delete cascade,
    position bigint not null,
    tag text not null,
    primary key (texture_n, position)
) {clustered};

create table texture_likes (
    texture_n bigint not null references textures (n) on delete cascade,
    account_n bigint not null references accounts (n) on delete cascade,
    primary key (texture_n, account_n)
) {clustered};

create table texture_favorites (
    texture_n bigint not null references textures (n) on delete cascade,
    account_n bigint not null references accounts (n) on delete cascade,
    primary key (texture_n, account_n)
) {clustered};

create table players (
    n {serial},
    id text not null unique,
    game_uuid text not null unique,
    nickname text not null,
    nickname_key text not null,
    country text,
    skin text not null,
    skin_model text not null,
    linked_skin_n bigint not null references textures (n),
    cape_n bigint references textures (n) on delete set null,
    tier_overall text not null,
    tier_points bigint not null,
    tier_rank bigint,
    last_tier_sync_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    last_seen_at bigint not null,
    -- Totals over public servers, updated in the transaction of the row that changes them.
    total_play_time bigint not null,
    session_count bigint not null,
    servers_count bigint not null,
    total_kills bigint not null,
    total_deaths bigint not null,
    total_wins bigint not null,
    vote_count bigint not null,
    review_count bigint not null,
    -- A bit mask: one bit per achievement, by position in the list.
    achievements bigint not null,
    rev bigint not null
);
create index players_rev on players (rev);
create index players_nickname on players (nickname_key, last_seen_at);
create index players_skin on players (linked_skin_n, last_seen_at);
create index players_cape on players (cape_n, last_seen_at);

create table player_nicknames (
    player_n bigint not null references players (n) on delete cascade,
    position bigint not null,
    nickname text not null,
    primary key (player_n, position)
) {clustered};

-- `ordinal` numbers a server's votes from 1, oldest first, without gaps: a page is a range of ordinals, and the number of votes since
-- a time follows from the first ordinal after it.
create table votes (
    server_n bigint not null references servers (n) on delete cascade,
    ordinal bigint not null,
    id text not null,
    account_n bigint references accounts (n) on delete set null,
    player_n bigint references players (n) on delete set null,
    game_username text not null,
    voted_at bigint not null,
    primary key (server_n, ordinal)
) {clustered};
create unique index votes_id on votes (id);
create index votes_since on votes (server_n, voted_at);
create index votes_player on votes (player_n, voted_at);
create index votes_recent on votes (voted_at);

create table vote_days (
    server_n bigint not null references servers (n) on delete cascade,
    day bigint not null,
    votes bigint not null,
    primary key (server_n, day)
) {clustered};

create table reviews (
    server_n bigint not null references servers (n) on delete cascade,
    ordinal bigint not null,
    id text not null,
    account_n bigint references accounts (n) on delete set null,
    player_n bigint references players (n) on delete set null,
    game_username text not null,
    rating bigint not null check (rating between 1 and 5),
    content text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (server_n, ordinal)
) {clustered};
create unique index reviews_id on reviews (id);
create index reviews_player on reviews (player_n, created_at);
create index reviews_recent on reviews (created_at);

-- `ordinal` numbers the approved posts of a server; other posts have none and are not shown.
create table update_posts (
    n {serial},
    server_n bigint not null references servers (n) on delete cascade,
    ordinal bigint,
    id text not null unique,
    account_n bigint not null references accounts (n) on delete cascade,
    title text not null,
    content text not null,
    status text not null,
    created_at bigint not null,
    updated_at bigint not null
);
create unique index update_posts_page on update_posts (server_n, ordinal);
create index update_posts_recent on update_posts (created_at);

create table sessions (
    n {serial},
    id text not null,
    player_n bigint not null references players (n) on delete cascade,
    server_n bigint not null references servers (n) on delete cascade,
    joined_at bigint not null,
    left_at bigint not null,
    play_time bigint not null
);
create unique index sessions_id on sessions (id);
create index sessions_player on sessions (player_n, joined_at);
create index sessions_since on sessions (joined_at, player_n, server_n, play_time);

-- Reported counters are cumulative. The increase since the previous report is stored with them, so that statistics of any period are
-- plain sums.
create table player_stats (
    n {serial},
    id text not null unique,
    player_n bigint not null references players (n) on delete cascade,
    server_n bigint not null references servers (n) on delete cascade,
    at bigint not null,
    stats_json text not null,
    kills_gain bigint not null,
    deaths_gain bigint not null,
    wins_gain bigint not null
);
create index player_stats_player on player_stats (player_n, at);
create index player_stats_since on player_stats (at, player_n, server_n, kills_gain, wins_gain);
