-- AlterTable
ALTER TABLE "codes" ADD COLUMN "locale" TEXT,
  ADD COLUMN "payer_locale" TEXT,
  ADD COLUMN "payer_time_zone" TEXT,
  ADD COLUMN "payment_brand" TEXT,
  ADD COLUMN "payment_last4" TEXT;
