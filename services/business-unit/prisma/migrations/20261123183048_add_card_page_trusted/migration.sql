-- AlterTable
ALTER TABLE "payment_orchestrators" ADD COLUMN     "card_page_trusted" BOOLEAN NOT NULL DEFAULT false;
