-- Apart from the migration that builds indexes: a lock that lets reads pass, and then one that does not, would be a deadlock
-- with a transaction that has read and is going to write.
SET lock_timeout = '5s';
-- A transaction may have several codes, of which one is open.
DROP INDEX "codes_transaction_id_key";
