-- What each service has done for an erasure. Its event expires in the outbox.
ALTER TABLE "payer_erasure_requests" DROP COLUMN "event_id",
    ADD COLUMN "services" JSONB NOT NULL DEFAULT '[]';
