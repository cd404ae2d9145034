-- The same text for every spelling of an address: a mailbox in lower case and without `+tag`, a phone number in E.164
-- without separators, `(0)` and extension (`addressOf` of the contract).
CREATE OR REPLACE FUNCTION "payer_address"("value" TEXT) RETURNS TEXT LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos("value", '@') > 0 THEN lower(regexp_replace("value", '([^+])\+.*@', '\1@'))
        ELSE regexp_replace(regexp_replace(regexp_replace(replace(
            coalesce(substring("value" from '[+0-9][^A-Za-z#;\u00c0-\u1fff\u3040-\ud7ff]*'), ''), '(0)', ''),
            '/(?:[^0-9]*[0-9]){0,3}[^0-9]*$', ''), '[^+0-9]', '', 'g'), '^00', '+') END
$$;

-- Erasures of payers that the service works on.
CREATE TABLE "payer_erasures" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "trace_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "pass" INTEGER NOT NULL DEFAULT 1,
    "step" INTEGER NOT NULL DEFAULT 0,
    "position" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payer_erasures_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payer_erasures_pass_check" CHECK ("pass" IN (1, 2)),
    CONSTRAINT "payer_erasures_step_check" CHECK ("step" >= 0)
);

-- CreateIndex
CREATE INDEX "payer_erasures_tenant_id_due_at_idx" ON "payer_erasures"("tenant_id", "due_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "payer_erasures" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payer_erasures" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "payer_erasures" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Payers that the service has erased, by SHA-256 of tenant and address.
CREATE TABLE "erased_payers" (
    "tenant_id" UUID NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "erased_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "erased_payers_pkey" PRIMARY KEY ("tenant_id","address_hash"),
    CONSTRAINT "erased_payers_hash_check" CHECK (length("address_hash") = 32)
);

-- CreateIndex
CREATE INDEX "erased_payers_erased_at_idx" ON "erased_payers"("erased_at");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "erased_payers" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "erased_payers" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "erased_payers" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Erasures that operators requested, without the address.
CREATE TABLE "payer_erasure_requests" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "requested_by" TEXT NOT NULL,
    "reason" TEXT,
    "event_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "address_hash" BYTEA,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "payer_erasure_requests_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payer_erasure_requests_hash_check" CHECK (("address_hash" IS NULL) = ("completed_at" IS NOT NULL))
);

-- CreateIndex
CREATE INDEX "payer_erasure_requests_tenant_id_id_idx" ON "payer_erasure_requests"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "payer_erasure_requests_requested_at_idx" ON "payer_erasure_requests"("requested_at");

-- CreateIndex
CREATE INDEX "payer_erasure_requests_incomplete_idx" ON "payer_erasure_requests"("requested_at") WHERE "completed_at" IS NULL;

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "payer_erasure_requests" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payer_erasure_requests" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "payer_erasure_requests" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Reports of services about erasures, and of webhooks about its copies.
CREATE TABLE "payer_erasure_reports" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "erasure_id" UUID NOT NULL,
    "service" TEXT,
    "resources" INTEGER NOT NULL DEFAULT 0,
    "is_last" BOOLEAN NOT NULL DEFAULT false,
    "reported_at" TIMESTAMPTZ(3),
    "copies_at" TIMESTAMPTZ(3),

    CONSTRAINT "payer_erasure_reports_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payer_erasure_reports_service_check" CHECK ("service" IN ('payment-proxy', 'invite-to-pay', 'communication')),
    CONSTRAINT "payer_erasure_reports_reported_check" CHECK (("service" IS NULL) = ("reported_at" IS NULL))
);

-- CreateIndex
CREATE INDEX "payer_erasure_reports_tenant_id_erasure_id_idx" ON "payer_erasure_reports"("tenant_id", "erasure_id");

-- A transaction sees the rows of the tenant it names, or none.
ALTER TABLE "payer_erasure_reports" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "payer_erasure_reports" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "payer_erasure_reports" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- Ended messages that are not redacted, by their creation.
-- Writes of the table wait while an index is built; where the table is large, build it before, and the statement takes it
-- (CHANGELOG.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "communications_unredacted_idx" ON "communications"("tenant_id", "created_at")
WHERE "status" <> 'queued' AND "recipient" <> 'erased';
