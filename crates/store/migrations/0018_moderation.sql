-- What people write on the site: reviews, replies and update posts, and the queue in which moderators judge it.

-- Moderators judge what others write; what trusted accounts write skips the queue. No rewrite of the table: constant defaults.
alter table logins add column moderator boolean not null default false;
alter table logins add column trusted boolean not null default false;

-- One row per text to judge. `state` is open, approved, rejected or hidden.
create table moderation_items (
    n {serial},
    id text not null unique,
    -- 'server', 'dispute', 'review', 'post', 'report' or 'name'
    kind text not null,
    -- The public id of what is judged.
    subject text not null,
    server_n bigint references servers (n) on delete cascade,
    -- Who wrote what is judged.
    author_n bigint references accounts (n) on delete set null,
    opened_at bigint not null,
    -- Why it is in the queue.
    why text not null,
    -- The moderator who looks at it, until `locked_until`.
    locked_by bigint references accounts (n) on delete set null,
    locked_until bigint not null,
    state text not null,
    decided_by bigint references accounts (n) on delete set null,
    decided_at bigint,
    -- Why it was rejected or hidden; the author reads it.
    reason text not null,
    -- What the author answered. One appeal opens the item once more.
    appeal text not null,
    appealed_at bigint
);
create unique index moderation_items_open on moderation_items (kind, subject) where state = 'open';
create index moderation_items_state on moderation_items (state, n);
create index moderation_items_author on moderation_items (author_n, n);

-- Reviews that were written on the site or judged by a moderator. `reviews` has a row with the same id while the status is APPROVED.
create table submitted_reviews (
    id text primary key,
    server_n bigint not null references servers (n) on delete cascade,
    account_n bigint references accounts (n) on delete cascade,
    player_n bigint references players (n) on delete set null,
    game_username text not null,
    rating bigint not null check (rating between 1 and 5),
    content text not null,
    -- PENDING, APPROVED, REJECTED or HIDDEN
    status text not null,
    created_at bigint not null,
    updated_at bigint not null,
    unique (server_n, account_n)
);
create index submitted_reviews_account on submitted_reviews (account_n);
create index submitted_reviews_player on submitted_reviews (player_n, server_n);
create index {online} reviews_account on reviews (account_n, server_n);

-- What the owner of a server answered to a review.
create table review_replies (
    review_id text primary key,
    server_n bigint not null references servers (n) on delete cascade,
    content text not null,
    replied_at bigint not null
);
create index review_replies_server on review_replies (server_n);

-- Update posts that are not published yet: drafts, and scheduled ones with a time.
create table post_drafts (
    id text primary key,
    server_n bigint not null references servers (n) on delete cascade,
    account_n bigint not null references accounts (n) on delete cascade,
    title text not null,
    content text not null,
    publish_at bigint,
    created_at bigint not null,
    updated_at bigint not null
);
create index post_drafts_server on post_drafts (server_n);
create index post_drafts_account on post_drafts (account_n);
create index post_drafts_due on post_drafts (publish_at) where publish_at is not null;

-- The content as HTML, rendered once. Empty for imported posts, which are shown as plain text.
alter table update_posts add column html text not null default '';
create index {online} update_posts_account on update_posts (account_n);
