-- Columns in the terms of docs/glossary.md. A rename is not additive: stop the dispatchers and the webhooks API of the
-- previous version before this migration (CHANGELOG.md).
ALTER TABLE "deliveries" RENAME COLUMN "waiting" TO "backlogged";
ALTER TABLE "destinations" RENAME COLUMN "waiting" TO "has_backlog";
ALTER TABLE "destinations" RENAME COLUMN "marks" TO "backlog_version";
ALTER TABLE "destinations" RENAME COLUMN "waiting_from" TO "backlog_min_id";
ALTER TABLE "destinations" RENAME COLUMN "waiting_to" TO "backlog_max_id";
ALTER TABLE "tasks" RENAME COLUMN "next_turn_at" TO "next_batch_at";
ALTER INDEX "deliveries_waiting_idx" RENAME TO "deliveries_backlog_idx";
ALTER INDEX "destinations_waiting_idx" RENAME TO "destinations_backlog_idx";

-- A delivery in a final state keeps nothing to do. Earlier versions left these columns set in some transitions.
-- Row-level security would hide every row from the owner of the table.
ALTER TABLE "deliveries" NO FORCE ROW LEVEL SECURITY;
UPDATE "deliveries" SET "queued" = false, "backlogged" = false, "sweep_at" = NULL, "next_attempt_at" = NULL
WHERE "status" IN ('delivered', 'dead', 'discarded')
  AND ("queued" OR "backlogged" OR "sweep_at" IS NOT NULL OR "next_attempt_at" IS NOT NULL);
ALTER TABLE "deliveries" FORCE ROW LEVEL SECURITY;

-- What each state implies: the table in src/domain/delivery-state.ts.
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_state" CHECK (
  CASE
    WHEN "status" IN ('pending', 'retrying') THEN
      CASE WHEN "backlogged" THEN NOT "queued" AND "sweep_at" IS NULL ELSE "sweep_at" IS NOT NULL END
    WHEN "status" = 'held' THEN "backlogged" AND NOT "queued" AND "sweep_at" IS NULL
    WHEN "status" = 'delivering' THEN NOT "backlogged" AND NOT "queued" AND "sweep_at" IS NOT NULL
    ELSE NOT "backlogged" AND NOT "queued" AND "sweep_at" IS NULL AND "next_attempt_at" IS NULL
  END
);
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_dead_at" CHECK (
  CASE "status" WHEN 'dead' THEN "dead_at" IS NOT NULL WHEN 'discarded' THEN true ELSE "dead_at" IS NULL END
);
