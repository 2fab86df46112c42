insert into moderation_items (id, kind, subject, server_n, author_n, opened_at, why, locked_until, state, reason, appeal)
values ('item-upgrade', 'review', 'held-review', 1, 2, 1780495100000, 'a link', 0, 'open', '', '');
insert into submitted_reviews (id, server_n, account_n, player_n, game_username, rating, content, status, created_at, updated_at)
values ('held-review', 1, 2, 1, 'Ada', 4, 'Held.', 'PENDING', 1780495100000, 1780495100000);
insert into review_replies (review_id, server_n, content, replied_at) values ('held-review', 1, 'Thank you.', 1780495100000);
insert into post_drafts (id, server_n, account_n, title, content, publish_at, created_at, updated_at)
values ('draft-upgrade', 1, 2, 'Soon', 'Soon.', null, 1780495100000, 1780495100000);
