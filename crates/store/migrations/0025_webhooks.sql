-- Endpoints of accounts that get events and alerts as messages.
create table webhooks (
    n {serial},
    id text not null unique,
    account_n bigint not null references accounts (n) on delete cascade,
    name text not null,
    -- The host of the URL. The URL may contain a token, so it is stored like the secrets: encrypted, if the operator has set a key.
    host text not null,
    url text not null,
    -- 'standard' or 'discord'
    format text not null,
    -- The types of messages, separated by spaces.
    types text not null,
    -- 'all', 'own' or 'chosen': the servers whose events are sent.
    servers text not null,
    -- 'active', 'disabled' (by its user) or 'gone' (the receiver answered 410)
    state text not null,
    secret text not null,
    -- The secret before a rotation, which also signs until it ends.
    old_secret text,
    old_secret_ends_at bigint,
    -- Raised by every change of the settings.
    version bigint not null,
    -- All events up to this number have their deliveries.
    cursor_n bigint not null,
    -- The events between these numbers get deliveries once more; null: none.
    replay_n bigint,
    replay_until_n bigint,
    -- Consecutive attempts that failed, and until when nothing is sent; 0: the last attempt did not fail.
    failures bigint not null,
    retry_at bigint not null,
    created_at bigint not null
);
create index webhooks_account on webhooks (account_n);

create table webhook_servers (
    webhook_n bigint not null references webhooks (n) on delete cascade,
    server_n bigint not null references servers (n) on delete cascade,
    primary key (webhook_n, server_n)
) {clustered};
create index webhook_servers_server on webhook_servers (server_n);

-- One row per endpoint and event, kept for 30 days. `state` is queued (an earlier one of its lane is not finished), waiting, sending,
-- delivered, failed or cancelled.
create table webhook_deliveries (
    n {serial},
    webhook_n bigint not null references webhooks (n) on delete cascade,
    -- The `webhook-id` of every attempt.
    message_id text not null,
    -- Null for a test.
    event_n bigint,
    -- The type as a number.
    kind bigint not null,
    -- The number of the server, or 0. Messages of one lane are sent in order.
    lane bigint not null,
    state text not null,
    -- The event number until the delivery is finished.
    queue_n bigint,
    -- When something is to be done; null: nothing.
    due_at bigint,
    attempts bigint not null,
    -- When it is no longer tried.
    give_up_at bigint not null,
    -- Of the last attempt; status 0: no response.
    status bigint not null,
    error text not null,
    request text not null,
    response text not null,
    created_at bigint not null,
    updated_at bigint not null
);
create unique index webhook_deliveries_event on webhook_deliveries (webhook_n, event_n);
create index webhook_deliveries_due on webhook_deliveries (due_at) where due_at is not null;
create index webhook_deliveries_queue on webhook_deliveries (webhook_n, lane, queue_n) where queue_n is not null;
create index webhook_deliveries_log on webhook_deliveries (webhook_n, updated_at, n);
create index webhook_deliveries_updated on webhook_deliveries (updated_at);

-- Events that only one account is told of. Their numbers are those of `events`, so that one cursor covers both.
create table account_events (
    n bigint primary key,
    account_n bigint not null references accounts (n) on delete cascade,
    at bigint not null,
    kind bigint not null,
    server_n bigint references servers (n) on delete cascade,
    -- What is told, once: each subject has one event.
    subject text not null unique,
    -- A JSON object.
    facts text not null
) {clustered};
create index account_events_account on account_events (account_n, n);
create index account_events_at on account_events (at);
