-- Covering indexes for the wearers of a skin or cape: their rows are scattered over the whole table.
drop index players_skin;
create index players_skin on players
    (linked_skin_n, last_seen_at, n, id, nickname, game_uuid, skin, skin_model, tier_overall);

drop index players_cape;
create index players_cape on players
    (cape_n, last_seen_at, n, id, nickname, game_uuid, skin, skin_model, tier_overall, linked_skin_n)
    where cape_n is not null;
