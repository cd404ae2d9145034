-- Why a session ended, for the browser that still has its value.
CREATE TYPE "SessionEndReason" AS ENUM ('idle', 'expired', 'ended_by_user', 'ended_by_administrator', 'ended_by_operator', 'ended_by_provider', 'user_disabled', 'user_removed', 'too_many_sessions');

CREATE TABLE "ended_sessions" (
    "pepper_kid" TEXT NOT NULL,
    "index_hmac" BYTEA NOT NULL,
    "tenant_id" UUID NOT NULL,
    "reason" "SessionEndReason" NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ended_sessions_pkey" PRIMARY KEY ("pepper_kid","index_hmac")
);

CREATE INDEX "ended_sessions_ended_at_idx" ON "ended_sessions"("ended_at");

ALTER TABLE "ended_sessions" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ended_sessions" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant_isolation" ON "ended_sessions" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));
