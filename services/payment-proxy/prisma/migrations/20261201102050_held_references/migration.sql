-- Apart from the migration that builds the index: a lock that lets reads pass, and then one that does not, would be a
-- deadlock with a transaction that has read and is going to write.
SET lock_timeout = '5s';
-- The index keeps its name, by which the previous release knows a duplicate.
DROP INDEX "transactions_tenant_id_business_unit_id_external_reference_key";
ALTER INDEX "transactions_held_reference_key" RENAME TO "transactions_tenant_id_business_unit_id_external_reference_key";
