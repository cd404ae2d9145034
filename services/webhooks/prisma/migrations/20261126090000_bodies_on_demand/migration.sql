-- The body of a delivery is stored when the row needs it: when the delivery enters a backlog as fan-out stores it, at a
-- later claim, and for a dead letter. A delivery whose first attempt is accepted at once never has one. Fan-out renders
-- the body of that attempt in its process (domain/delivery-body.ts), and a test compares the bytes of both.
--
-- The previous release reads the body where it claims a delivery and of dead letters: it finds the body there.
SET lock_timeout = '5s';

ALTER TABLE "deliveries" ALTER COLUMN "body" DROP NOT NULL;

CREATE FUNCTION "webhooks_body"("trace_id" UUID, "tenant_id" UUID, "event_type" TEXT, "payload" TEXT, "business_unit_id" UUID, "tenant_event_id" UUID)
RETURNS BYTEA LANGUAGE SQL STABLE AS $$
    SELECT convert_to(concat('{"trace_id":"', "trace_id", '","tenant_id":"', "tenant_id",
        '","event_type":', to_json("event_type"), ',"metadata":{"payload":', "payload",
        ',"business_unit_id":"', "business_unit_id", '"},"tenant_event_id":"', "tenant_event_id", '"}'), 'UTF8')
$$;

-- Without its event, which expires with the delivery, the body stays NULL.
CREATE FUNCTION "webhooks_store_body"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    SELECT public."webhooks_body"(NEW."trace_id", NEW."tenant_id", NEW."event_type", e."payload", NEW."business_unit_id",
        NEW."tenant_event_id")
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
