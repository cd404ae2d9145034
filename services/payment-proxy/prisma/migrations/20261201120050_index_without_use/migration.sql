-- Apart from the migration that builds indexes: a lock that lets reads pass, and then one that does not, would be a deadlock
-- with a transaction that has read and is going to write.
SET lock_timeout = '5s';
-- No query can use it under row-level security.
DROP INDEX "transactions_tenant_id_status_id_idx";
