-- The outcomes of the deliveries of a task.
SET lock_timeout = '5s';
ALTER TABLE "tasks" ADD COLUMN     "dead" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "delivered" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "discarded" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "outcomes_at" TIMESTAMPTZ(3),
ADD COLUMN     "outcomes_due_at" TIMESTAMPTZ(3),
ADD COLUMN     "waiting" INTEGER NOT NULL DEFAULT 0;
