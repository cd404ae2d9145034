-- Where each attempt was sent, which task restarted a delivery, and the outcomes of the deliveries of a task. Additive: the
-- previous release leaves the columns empty.
SET lock_timeout = '5s';
ALTER TABLE "attempts" ADD COLUMN     "destination_url" TEXT,
ADD COLUMN     "label" TEXT;

ALTER TABLE "deliveries" ADD COLUMN     "task_id" UUID;

-- The deliveries of a task, newest first: few among many.
CREATE INDEX IF NOT EXISTS "deliveries_task_idx" ON "deliveries"("task_id", "created_at", "id") WHERE "task_id" IS NOT NULL;

ALTER TABLE "tasks" ADD COLUMN     "dead" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "delivered" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "discarded" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "outcomes_at" TIMESTAMPTZ(3),
ADD COLUMN     "outcomes_due_at" TIMESTAMPTZ(3),
ADD COLUMN     "waiting" INTEGER NOT NULL DEFAULT 0;
