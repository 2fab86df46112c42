-- Skins and capes that people upload. `textures` has a row with the same id while the status is APPROVED and the visibility PUBLIC.
create table texture_uploads (
    id text primary key,
    -- 'skin' or 'cape'
    kind text not null,
    slug text not null,
    -- Null after the account was deleted.
    account_n bigint references accounts (n) on delete set null,
    name text not null,
    description text not null,
    model text,
    -- Separated by commas.
    tags text not null,
    -- `upload/….png`. It is served to others while the upload is approved and not hidden.
    png text not null,
    pixel_hash text not null,
    -- PENDING, APPROVED, REJECTED or HIDDEN
    status text not null,
    -- PUBLIC, UNLISTED or HIDDEN
    visibility text not null,
    -- What it is a remix of.
    based_on text references textures (id) on delete set null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (kind, slug),
    unique (kind, pixel_hash)
);
create index texture_uploads_account on texture_uploads (account_n, created_at);
create index texture_uploads_png on texture_uploads (png);
create index texture_uploads_based_on on texture_uploads (based_on);

-- Rows of `textures` that were hidden or deleted, so that the catalogue of each process forgets them without loading everything.
create table texture_removals (
    texture_n bigint primary key,
    is_skin boolean not null,
    rev bigint not null
);
create index texture_removals_rev on texture_removals (rev);

-- Finds a texture with the same picture. With the kind: without it, SQLite would read all textures of a kind instead. Reads the whole
-- table once.
create index {online} textures_png on textures (png, kind);
