-- Latency and ticks per second in the roll-ups, see `SampleBucket`. Null: not known, which is so for all buckets up to now. A constant
-- null rewrites no table.
alter table samples_5m add column latency_sum bigint;
alter table samples_5m add column tps_ms bigint;
alter table samples_5m add column tps_sum bigint;
alter table samples_hour add column latency_sum bigint;
alter table samples_hour add column tps_ms bigint;
alter table samples_hour add column tps_sum bigint;
alter table samples_day add column latency_sum bigint;
alter table samples_day add column tps_ms bigint;
alter table samples_day add column tps_sum bigint;
