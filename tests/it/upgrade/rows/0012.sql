update tracking set present = '1' where server_n = 1;
