SET lock_timeout = '5s';
ALTER TABLE "transactions" ADD COLUMN "locale" TEXT;
