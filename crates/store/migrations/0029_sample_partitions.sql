-- On PostgreSQL the samples of each day are a partition, which is dropped as a whole: to delete single rows costs more than to write them.
-- The tracker adds the partitions of the next days. Here is what belongs to none of them, as all samples before the first partition do.
{postgres} alter table samples rename to samples_rest;
{postgres} alter index samples_pkey rename to samples_rest_pkey;
{postgres} create table samples (like samples_rest including defaults, primary key (server_n, at)) partition by range (at);
{postgres} alter table samples attach partition samples_rest default;
