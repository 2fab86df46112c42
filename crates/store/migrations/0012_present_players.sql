-- The players that the last reply of each server listed: their numbers, separated by commas. Written with every poll.
alter table tracking add column present text not null default '';
