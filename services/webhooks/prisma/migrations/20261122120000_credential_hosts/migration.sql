-- Both additions keep every row as it is and do not rewrite the tables. A process of the previous version writes neither column: its
-- auth infos name no host, its attempts no credentials.
-- AlterTable
ALTER TABLE "auth_infos" ADD COLUMN     "hosts" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "attempts" ADD COLUMN     "credential_names" JSONB;
