-- AlterTable
ALTER TABLE "sign_ins" ADD COLUMN     "person_encrypted" BYTEA,
ADD COLUMN     "session_id" UUID,
ADD COLUMN     "page_tenant_id" UUID,
ADD COLUMN     "used_state_hash" BYTEA;

-- AlterTable
ALTER TABLE "user_invitations" ADD COLUMN     "is_declined" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE UNIQUE INDEX "sign_ins_used_state_hash_key" ON "sign_ins"("used_state_hash");

-- CreateIndex
CREATE INDEX "sign_ins_replaced_session_id_idx" ON "sign_ins"("replaced_session_id");

-- CreateIndex
CREATE INDEX "sign_ins_session_id_idx" ON "sign_ins"("session_id");
