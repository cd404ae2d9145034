ALTER TABLE "transactions" ADD COLUMN "locale" TEXT;
