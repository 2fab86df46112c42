-- A process that has stopped since held a reservation.
update key_windows set holder = 7;
