-- Where each attempt was sent. Additive: the previous release leaves the columns empty. One table in each migration: locks of
-- two would be a deadlock with a transaction that locks them in another order.
SET lock_timeout = '5s';
ALTER TABLE "attempts" ADD COLUMN     "destination_url" TEXT,
ADD COLUMN     "label" TEXT;
