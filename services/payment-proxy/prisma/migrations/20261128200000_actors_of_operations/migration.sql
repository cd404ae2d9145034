ALTER TABLE "operations" ADD COLUMN "actor" TEXT;
