-- The body of a delivery is stored when the row needs it, not when fan-out stores the row: at a claim of the stored
-- delivery, and for a dead letter. A delivery whose first attempt is accepted never has one. Fan-out renders the body of
-- that attempt in its process (domain/delivery-body.ts), and a test compares the bytes of both.
--
-- The previous release reads the body where it claims a delivery and of dead letters: it finds the body there.
SET lock_timeout = '5s';

ALTER TABLE "deliveries" ALTER COLUMN "body" DROP NOT NULL;

-- Without its event, which expires with the delivery, the body stays NULL.
CREATE FUNCTION "webhooks_store_body"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    SELECT convert_to(concat('{"trace_id":"', NEW."trace_id", '","tenant_id":"', NEW."tenant_id",
        '","event_type":', to_json(NEW."event_type"), ',"metadata":{"payload":', e."payload",
        ',"business_unit_id":"', NEW."business_unit_id", '"},"tenant_event_id":"', NEW."tenant_event_id", '"}'), 'UTF8')
    INTO NEW."body"
    FROM public."events" e
    WHERE e."tenant_id" = NEW."tenant_id" AND e."tenant_event_id" = NEW."tenant_event_id"
        AND e."occurred_at" = NEW."occurred_at";
    RETURN NEW;
END
$$;

CREATE TRIGGER "deliveries_store_body" BEFORE UPDATE ON "deliveries" FOR EACH ROW
    WHEN (NEW."body" IS NULL AND NEW."status" IN ('delivering', 'dead'))
    EXECUTE FUNCTION "webhooks_store_body"();
