update keys set rev = 1;
