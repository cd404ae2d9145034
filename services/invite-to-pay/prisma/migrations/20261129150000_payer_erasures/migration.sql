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

-- Ended codes that are not redacted, by their last change.
-- Writes of the table wait while an index is built; where the table is large, build it before, and the statement takes it
-- (CHANGELOG.md).
SET lock_timeout = '5s';
CREATE INDEX IF NOT EXISTS "codes_unredacted_idx" ON "codes"("tenant_id", "updated_at")
WHERE "status" IN ('completed', 'expired', 'canceled') AND "recipient" <> 'erased';
