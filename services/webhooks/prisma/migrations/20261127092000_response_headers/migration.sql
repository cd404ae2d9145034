-- The addition keeps every row as it is. A process of the previous version does not write the column: its attempts show
-- no headers.
SET lock_timeout = '5s';
ALTER TABLE "attempts" ADD COLUMN     "response_headers" JSONB;
