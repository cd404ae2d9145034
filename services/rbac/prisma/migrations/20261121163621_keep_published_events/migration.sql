-- What is published stays for a while. Two indexes of what few rows are in take the place of two over all of them: a claim changes
-- no indexed column, so with room in the page it is a HOT update; what claims look through is small however much is kept.
-- A process of the version before deletes what it published, and lets be what is leased for ever: both may run side by side.
DROP INDEX "outbox_events_leased_until_sequence_idx";
DROP INDEX "outbox_events_sequence_key";

-- AlterTable
ALTER TABLE "outbox_events" ADD COLUMN     "published_at" TIMESTAMPTZ(3);

CREATE INDEX "outbox_events_unpublished_idx" ON "outbox_events"("sequence") WHERE "published_at" IS NULL;
CREATE INDEX "outbox_events_published_at_idx" ON "outbox_events"("published_at") WHERE "published_at" IS NOT NULL;

-- Each event is written three times. Vacuumed before many claims have walked over the index entries of what is published.
ALTER TABLE "outbox_events" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, vacuum_index_cleanup = on);
