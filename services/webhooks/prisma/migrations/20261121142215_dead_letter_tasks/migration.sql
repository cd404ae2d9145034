-- CreateEnum
CREATE TYPE "TaskKind" AS ENUM ('redrive', 'discard', 'recover');

-- CreateEnum
CREATE TYPE "TaskStatus" AS ENUM ('running', 'done', 'canceled', 'failed');

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "discard_reason" TEXT,
ADD COLUMN     "discarded_by" TEXT,
ADD COLUMN     "last_error_kind" TEXT,
ADD COLUMN     "last_status_code" INTEGER;

-- CreateTable
CREATE TABLE "tasks" (
    "id" UUID NOT NULL,
    "tenant_id" UUID,
    "kind" "TaskKind" NOT NULL,
    "status" "TaskStatus" NOT NULL DEFAULT 'running',
    "selection" JSONB NOT NULL,
    "reason" TEXT,
    "rate_per_second" INTEGER,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "position" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_turn_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tasks_tenant_id_id_idx" ON "tasks"("tenant_id", "id");

-- Dead deliveries are few among many that are done; a tenant's are listed and changed in the order of their ids.
CREATE INDEX "deliveries_dead_of_tenant_idx" ON "deliveries"("tenant_id", "id") WHERE "status" = 'dead';
CREATE INDEX "deliveries_dead_by_id_idx" ON "deliveries"("id") WHERE "status" = 'dead';

-- What is due is looked for several times a second.
CREATE INDEX "tasks_running_idx" ON "tasks"("next_turn_at") WHERE "status" = 'running';

-- What is dead already gets the cause of its last attempt.
DO $$
BEGIN
    PERFORM set_config('app.tenant_id', '*', true);
    UPDATE "deliveries" d SET "last_error_kind" = a."error_kind", "last_status_code" = a."status_code"
    FROM "attempts" a WHERE d."status" = 'dead' AND a."delivery_id" = d."id" AND a."number" = d."attempt_count";
END
$$;

-- A transaction sees the rows of the tenant it names, or none; an operator's task belongs to none.
ALTER TABLE "tasks" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tasks" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "tasks" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
