ALTER TABLE "user_invitations" ADD COLUMN "locale" TEXT;
