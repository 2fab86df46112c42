-- A leaderboard snapshot computed by rules that no program has: it must be ignored, not read.
insert into standings (made, part, points) values (1, 0, cast('not points' as {bytes}));
insert into standings_head (made, epoch, rev, at, players, reckoning, hidden) values (1, 1, 1, 1780491600000, 2, 0, '3');
