-- AlterTable
ALTER TABLE "keys" ADD COLUMN     "rotation" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "previous_values" (
    "key_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "rotation" INTEGER NOT NULL,
    "sealed_value" BYTEA NOT NULL,
    "pepper_kid" TEXT NOT NULL,
    "lookup_hmac" BYTEA NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "previous_values_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "authz_epoch" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "incarnation" UUID NOT NULL DEFAULT gen_random_uuid(),
    "epoch" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "authz_epoch_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "authz_invalidations" (
    "epoch" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "authz_invalidations_pkey" PRIMARY KEY ("epoch","kind","id")
);

-- CreateIndex
CREATE INDEX "previous_values_ends_at_idx" ON "previous_values"("ends_at");

-- CreateIndex
CREATE UNIQUE INDEX "previous_values_pepper_kid_lookup_hmac_key" ON "previous_values"("pepper_kid", "lookup_hmac");

-- CreateIndex
CREATE INDEX "authz_invalidations_recorded_at_idx" ON "authz_invalidations"("recorded_at");

-- AddForeignKey
ALTER TABLE "previous_values" ADD CONSTRAINT "previous_values_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- The one row that every change of power locks and counts up.
ALTER TABLE "authz_epoch" ADD CONSTRAINT "authz_epoch_one_row" CHECK ("id" = 1);
INSERT INTO "authz_epoch" ("id") VALUES (1);

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "previous_values" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "previous_values" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "previous_values" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
