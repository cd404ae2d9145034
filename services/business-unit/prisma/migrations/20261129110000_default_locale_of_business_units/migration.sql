ALTER TABLE "business_units" ADD COLUMN "default_locale" TEXT;
