-- The audit records of operators' calls, until they are published (packages/messaging/src/operator-calls.ts).
CREATE TABLE "operator_calls" (
    "id" UUID NOT NULL,
    "record" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "operator_calls_pkey" PRIMARY KEY ("id")
);
