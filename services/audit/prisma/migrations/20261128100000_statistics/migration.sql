-- Requests per tenant and hour of their arrival. Sealing adds each record once (src/verbs/seal-chain.ts).
-- Names are compared by their bytes: reads group many rows by them.
CREATE TABLE "audit_statistics" (
    "tenant_id" UUID NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT COLLATE "C" NOT NULL,
    "client" TEXT COLLATE "C" NOT NULL,
    "code" TEXT COLLATE "C" NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "audit_statistics_pkey" PRIMARY KEY ("tenant_id", "hour", "outcome", "client", "code")
);

-- The retention reads by the hour.
CREATE INDEX "audit_statistics_hour_idx" ON "audit_statistics"("hour");

ALTER TABLE "audit_statistics" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audit_statistics" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "audit_statistics" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
