-- Which task restarted a delivery.
SET lock_timeout = '5s';
ALTER TABLE "deliveries" ADD COLUMN     "task_id" UUID;

-- The deliveries of a task, newest first: few among many.
CREATE INDEX IF NOT EXISTS "deliveries_task_idx" ON "deliveries"("task_id", "created_at", "id") WHERE "task_id" IS NOT NULL;
