-- An endpoint of the account with a delivery and an alert.
insert into webhooks (id, account_n, name, host, url, format, types, servers, state, secret, version, cursor_n, failures, retry_at,
                      created_at)
values ('webhook-upgrade', 2, 'Bot', 'hooks.example', 'https://hooks.example/in', 'standard', 'vote.created', 'chosen', 'active',
        'whsec_dXBncmFkZXVwZ3JhZGV1cGdyYWRl', 1, 1823227084801024, 0, 0, 1780495100000);
insert into webhook_servers (webhook_n, server_n) values (1, 1);
insert into webhook_deliveries (webhook_n, message_id, event_n, kind, lane, state, attempts, give_up_at, status, error, request,
                                response, created_at, updated_at)
values (1, '067a3b8e6e0400', 1823227084801024, 5, 1, 'delivered', 1, 1780754300000, 204, '', '{}', '', 1780495200001, 1780495200100);
insert into account_events (n, account_n, at, kind, server_n, subject, facts)
values (1823227084801025, 2, 1780495200002, 1005, 1, 'report 1 1780495100000', '{}');
