-- AlterTable
ALTER TABLE "transactions" ADD COLUMN     "i2p" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "invitation" JSONB;

ALTER TABLE "transactions" ADD CONSTRAINT "transactions_invitation_check" CHECK ("i2p" OR "invitation" IS NULL);
