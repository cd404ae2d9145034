-- What the health of a subscription shows. A process of the previous version does not write the columns: the times of
-- its attempts are missing. Writes of deliveries wait while the index is built; where the table is large, build it
-- before on each partition, which the statement then takes (docs/operating.md).
SET lock_timeout = '5s';
ALTER TABLE "destinations" ADD COLUMN     "last_delivered_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_failed_at" TIMESTAMPTZ(3);

CREATE INDEX IF NOT EXISTS "deliveries_scheduled_idx" ON "deliveries"("subscription_id", "id")
WHERE "status" IN ('pending', 'retrying') AND NOT "backlogged";
