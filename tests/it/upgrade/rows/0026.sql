-- What the buckets know since then.
update samples_hour set latency_sum = online_ms * 20, tps_ms = online_ms, tps_sum = online_ms * 19970 where server_n = 1;
