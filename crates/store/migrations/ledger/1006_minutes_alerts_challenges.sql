-- Usage per minute, written together with the hours and kept for two hours: the view of the last hour.
create table key_usage_minutes (
    key_n bigint not null,
    minute bigint not null,
    endpoint text not null,
    status text not null,
    requests bigint not null,
    bytes bigint not null,
    primary key (key_n, minute, endpoint, status)
) {clustered};
create index key_usage_minutes_minute on key_usage_minutes (minute);

-- When a key had used a share of its quota for the first time in a window.
create table quota_alerts (
    key_n bigint not null,
    -- 'day' or 'month'
    span text not null,
    window_start bigint not null,
    percent bigint not null,
    at bigint not null,
    primary key (key_n, span, window_start, percent)
) {clustered};
create index quota_alerts_at on quota_alerts (at);

-- Challenges that a browser may answer once, within minutes. Only hashes are stored.
create table passkey_challenges (
    hash text primary key,
    -- The ceremony and the hash of the session cookie.
    bound_to text not null,
    ends_at bigint not null
) {clustered};
create index passkey_challenges_end on passkey_challenges (ends_at);
