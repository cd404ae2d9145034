SET lock_timeout = '5s';
-- One operation in flight per transaction. Operators may have created the index CONCURRENTLY before.
CREATE UNIQUE INDEX IF NOT EXISTS "operations_one_open_key" ON "operations"("transaction_id") WHERE "due_at" IS NOT NULL;
