-- Reports that game servers send about themselves.

-- A server has one valid token, and the one before it until `ends_at`. Only hashes are stored.
create table server_tokens (
    hash text primary key,
    server_n bigint not null references servers (n) on delete cascade,
    -- The last characters, to tell tokens apart.
    hint text not null,
    created_at bigint not null,
    -- Null for the newest token.
    ends_at bigint
);
create index server_tokens_server on server_tokens (server_n);

-- The last report of each server, one row per server.
create table server_reports (
    server_n bigint primary key references servers (n) on delete cascade,
    -- When the last report was accepted, and the last one with a player list or ticks per second; 0: none yet.
    received_at bigint not null,
    listed_at bigint not null,
    tps_at bigint not null,
    -- 'report' or 'azlink'
    format text not null,
    software text not null,
    mspt double precision,
    -- The players of the last list: how many, and the numbers of those that are known, as in `tracking`.
    listed bigint not null,
    present text not null,
    -- What was not counted in the last report.
    notes text not null,
    -- The newest ids, separated by spaces: a report that is sent again counts once.
    recent_ids text not null,
    -- The last report that was refused, and why.
    refused_at bigint,
    refusal text not null
);
