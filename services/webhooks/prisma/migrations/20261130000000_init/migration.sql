-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "AuthInfoType" AS ENUM (
    'custom_headers',
    'basic',
    'api_credential',
    'oauth2_client_credentials'
);

CREATE TYPE "Breaker" AS ENUM (
    'closed',
    'open',
    'half_open'
);

CREATE TYPE "DeliveryStatus" AS ENUM (
    'pending',
    'delivering',
    'retrying',
    'held',
    'delivered',
    'dead',
    'discarded'
);

CREATE TYPE "TaskKind" AS ENUM (
    'redrive',
    'discard',
    'recover',
    'discard_held'
);

CREATE TYPE "TaskStatus" AS ENUM (
    'running',
    'done',
    'canceled',
    'failed'
);

CREATE FUNCTION webhooks_body(trace_id uuid, tenant_id uuid, event_type text, payload text, business_unit_id uuid, tenant_event_id uuid) RETURNS bytea
    LANGUAGE sql STABLE
    AS $$
    SELECT convert_to(concat('{"trace_id":"', "trace_id", '","tenant_id":"', "tenant_id",
        '","event_type":', to_json("event_type"), ',"metadata":{"payload":', "payload",
        ',"business_unit_id":"', "business_unit_id", '"},"tenant_event_id":"', "tenant_event_id", '"}'), 'UTF8')
$$;

-- Drops the days more than `keep_days` ago. The service deletes rows of the default partitions. The last day cannot be
-- dropped, whatever `keep_days` is.
CREATE FUNCTION webhooks_drop_partitions(keep_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $_$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    name TEXT;
    dropped INTEGER := 0;
BEGIN
    IF keep_days < 1 THEN
        RAISE EXCEPTION 'deliveries are kept for at least a day, not %', keep_days;
    END IF;
    IF NOT pg_try_advisory_xact_lock(7366204) THEN
        RETURN 0;
    END IF;
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('public.events'::regclass, 'public.deliveries'::regclass, 'public.attempts'::regclass)
          AND c.relname ~ '^(events|deliveries|attempts)_\d{8}$' AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
        ORDER BY right(c.relname, 8), c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$_$;

CREATE FUNCTION webhooks_first_id(day date) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT
    AS $$
    SELECT rpad(lpad(to_hex((extract(epoch FROM "day"::TIMESTAMP AT TIME ZONE 'UTC') * 1000)::BIGINT), 12, '0'), 32, '0')::UUID
$$;

-- The first instant of a day, and the smallest UUID whose first 48 bits are its milliseconds (domain/delivery-id.ts).
CREATE FUNCTION webhooks_first_instant(day date) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT
    AS $$
    SELECT "day"::TIMESTAMP AT TIME ZONE 'UTC'
$$;

-- Callers at the same time create and drop each partition once: while one works, the others return 0, and rows find the
-- default partition. pg_class is read, because to_regclass answers from a cache that a wait for a lock does not refresh.
CREATE FUNCTION webhooks_make_partitions(days_back integer, days_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    first_day DATE;
    parent TEXT;
    low TEXT;
    high TEXT;
    name TEXT;
    made INTEGER := 0;
BEGIN
    IF days_back NOT BETWEEN 0 AND 60 OR days_ahead NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'partitions are made for 0 to 60 days back and ahead, not % and %', days_back, days_ahead;
    END IF;
    IF NOT pg_try_advisory_xact_lock(7366204) THEN
        RETURN 0;
    END IF;
    FOR first_day IN SELECT today + ahead FROM generate_series(-days_back, days_ahead) AS ahead LOOP
        FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'attempts'] LOOP
            name := parent || '_' || to_char(first_day, 'YYYYMMDD');
            CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
            IF parent = 'events' THEN
                low := webhooks_first_instant(first_day)::TEXT;
                high := webhooks_first_instant(first_day + 1)::TEXT;
            ELSE
                low := webhooks_first_id(first_day)::TEXT;
                high := webhooks_first_id(first_day + 1)::TEXT;
            END IF;
            BEGIN
                EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
                EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
                EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
                EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, name, low, high);
                made := made + 1;
            EXCEPTION WHEN check_violation THEN
                -- The default partition has rows of that day.
                CONTINUE;
            END;
        END LOOP;
    END LOOP;
    RETURN made;
END
$$;

-- Without its event, which expires with the delivery, the body stays NULL.
CREATE FUNCTION webhooks_store_body() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

-- Deliveries, attempts and events are partitioned by the day: old ones end with their table (docs/decisions/0081).
CREATE TABLE attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    tenant_id uuid NOT NULL,
    started_at timestamptz(3) NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    error_kind text,
    error_detail text,
    response_body bytea,
    response_truncated boolean NOT NULL,
    timings jsonb NOT NULL,
    next_attempt_at timestamptz(3),
    credential_names jsonb,
    response_headers jsonb,
    destination_url text,
    label text,
    CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
)
PARTITION BY RANGE (delivery_id);

ALTER TABLE attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON attempts USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE auth_infos (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    type "AuthInfoType" NOT NULL,
    config_encrypted bytea NOT NULL,
    config_masked jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    hosts text[] DEFAULT ARRAY[]::text[],
    CONSTRAINT auth_infos_pkey PRIMARY KEY (id)
);

CREATE INDEX auth_infos_tenant_id_id_idx ON auth_infos (tenant_id, id);
ALTER TABLE auth_infos ENABLE ROW LEVEL SECURITY;
ALTER TABLE auth_infos FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON auth_infos USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE business_unit_copies (
    business_unit_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit jsonb NOT NULL,
    payment_orchestrators jsonb NOT NULL,
    CONSTRAINT business_unit_copies_orchestrators_check CHECK ((jsonb_typeof(payment_orchestrators) = 'array'::text)),
    CONSTRAINT business_unit_copies_unit_check CHECK ((NOT ((business_unit ->> 'id'::text) IS DISTINCT FROM (business_unit_id)::text))),
    CONSTRAINT business_unit_copies_pkey PRIMARY KEY (business_unit_id)
);

ALTER TABLE business_unit_copies ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_unit_copies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON business_unit_copies USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE change_sequences (
    tenant_id uuid NOT NULL,
    deliveries bigint DEFAULT 0 NOT NULL,
    dead_letters bigint DEFAULT 0 NOT NULL,
    events bigint DEFAULT 0 NOT NULL,
    tasks bigint DEFAULT 0 NOT NULL,
    subscriptions bigint DEFAULT 0 NOT NULL,
    CONSTRAINT change_sequences_pkey PRIMARY KEY (tenant_id)
)
WITH (fillfactor='50');

ALTER TABLE change_sequences ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_sequences FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_sequences USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- When an hour is counted again. Null: never.
CREATE TABLE counted_hours (
    tenant_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    due_at timestamptz(3),
    CONSTRAINT counted_hours_pkey PRIMARY KEY (tenant_id, hour)
);

CREATE INDEX counted_hours_hour_idx ON counted_hours (hour);
CREATE INDEX counted_hours_tenant_id_due_at_idx ON counted_hours (tenant_id, due_at);
ALTER TABLE counted_hours ENABLE ROW LEVEL SECURITY;
ALTER TABLE counted_hours FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON counted_hours USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE data_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    kek_id text NOT NULL,
    wrapped bytea NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT data_keys_pkey PRIMARY KEY (tenant_id, id)
);

ALTER TABLE data_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE data_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON data_keys USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE deliveries (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    tenant_event_id uuid NOT NULL,
    event_type text NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    trace_id uuid NOT NULL,
    body bytea,
    status "DeliveryStatus" DEFAULT 'pending'::"DeliveryStatus" NOT NULL,
    attempt_count integer DEFAULT 0 NOT NULL,
    schedule_position integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamptz(3),
    published boolean DEFAULT false NOT NULL,
    backlogged boolean DEFAULT false NOT NULL,
    sweep_at timestamptz(3),
    last_error text,
    dead_at timestamptz(3),
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    discard_reason text,
    discarded_by text,
    last_error_kind text,
    last_status_code integer,
    traceparent text,
    task_id uuid,
    CONSTRAINT deliveries_dead_at CHECK (
CASE status
    WHEN 'dead'::"DeliveryStatus" THEN (dead_at IS NOT NULL)
    WHEN 'discarded'::"DeliveryStatus" THEN true
    ELSE (dead_at IS NULL)
END),
    CONSTRAINT deliveries_state CHECK (
CASE
    WHEN (status = ANY (ARRAY['pending'::"DeliveryStatus", 'retrying'::"DeliveryStatus"])) THEN
    CASE
        WHEN backlogged THEN ((NOT published) AND (sweep_at IS NULL))
        ELSE (sweep_at IS NOT NULL)
    END
    WHEN (status = 'held'::"DeliveryStatus") THEN (backlogged AND (NOT published) AND (sweep_at IS NULL))
    WHEN (status = 'delivering'::"DeliveryStatus") THEN ((NOT backlogged) AND (NOT published) AND (sweep_at IS NOT NULL))
    ELSE ((NOT backlogged) AND (NOT published) AND (sweep_at IS NULL) AND (next_attempt_at IS NULL))
END),
    CONSTRAINT deliveries_pkey PRIMARY KEY (id)
)
PARTITION BY RANGE (id);

CREATE INDEX deliveries_dead_idx ON deliveries (dead_at, id) WHERE (status = 'dead'::"DeliveryStatus");
CREATE INDEX deliveries_dead_by_id_idx ON deliveries (id) WHERE (status = 'dead'::"DeliveryStatus");
CREATE INDEX deliveries_subscription_id_id_idx ON deliveries (subscription_id, id);
CREATE INDEX deliveries_backlog_idx ON deliveries (subscription_id, id) WHERE backlogged;
CREATE INDEX deliveries_scheduled_idx ON deliveries (subscription_id, id) WHERE ((status = ANY (ARRAY['pending'::"DeliveryStatus", 'retrying'::"DeliveryStatus"])) AND (NOT backlogged));
-- Deliveries that are not final: few among many.
CREATE INDEX deliveries_sweep_at_idx ON deliveries (sweep_at) WHERE (sweep_at IS NOT NULL);
-- The deliveries of a task, newest first: few among many.
CREATE INDEX deliveries_task_idx ON deliveries (task_id, created_at, id) WHERE (task_id IS NOT NULL);
CREATE INDEX deliveries_tenant_id_business_unit_id_id_idx ON deliveries (tenant_id, business_unit_id, id);
CREATE INDEX deliveries_tenant_id_created_at_id_idx ON deliveries (tenant_id, created_at, id);
-- A status cannot be the key of an index scan under row-level security: its comparison is not leakproof.
CREATE INDEX deliveries_waiting_of_tenant_idx ON deliveries (tenant_id, created_at, id) WHERE (status = ANY (ARRAY['pending'::"DeliveryStatus", 'retrying'::"DeliveryStatus"]));
CREATE INDEX deliveries_held_of_tenant_idx ON deliveries (tenant_id, created_at, id) WHERE (status = 'held'::"DeliveryStatus");
CREATE INDEX deliveries_ended_of_tenant_idx ON deliveries (tenant_id, created_at, id) WHERE (status = ANY (ARRAY['dead'::"DeliveryStatus", 'discarded'::"DeliveryStatus"]));
-- Dead deliveries are few among many that are done; a tenant's are listed and changed in the order of their ids.
CREATE INDEX deliveries_dead_of_tenant_idx ON deliveries (tenant_id, id) WHERE (status = 'dead'::"DeliveryStatus");
CREATE INDEX deliveries_failed_kind_idx ON deliveries (tenant_id, last_error_kind, created_at, id) WHERE (last_error_kind IS NOT NULL);
CREATE INDEX deliveries_failed_code_idx ON deliveries (tenant_id, last_status_code, created_at, id) WHERE (last_error_kind IS NOT NULL);
ALTER TABLE deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON deliveries USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));
CREATE TRIGGER deliveries_store_body BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (((new.body IS NULL) AND (new.status = ANY (ARRAY['delivering'::"DeliveryStatus", 'dead'::"DeliveryStatus"])))) EXECUTE FUNCTION webhooks_store_body();

CREATE TABLE destinations (
    subscription_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    has_backlog boolean DEFAULT false NOT NULL,
    backlog_version bigint DEFAULT 0 NOT NULL,
    backlog_min_id uuid,
    backlog_max_id uuid,
    breaker "Breaker" DEFAULT 'closed'::"Breaker" NOT NULL,
    opened_at timestamptz(3),
    probe_at timestamptz(3),
    probe_delivery_id uuid,
    last_delivered_at timestamptz(3),
    last_failed_at timestamptz(3),
    CONSTRAINT destinations_pkey PRIMARY KEY (subscription_id)
);

CREATE INDEX destinations_backlog_idx ON destinations (subscription_id) WHERE has_backlog;
ALTER TABLE destinations ENABLE ROW LEVEL SECURITY;
ALTER TABLE destinations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON destinations USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE events (
    tenant_id uuid NOT NULL,
    tenant_event_id uuid NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    business_unit_id uuid,
    type text NOT NULL,
    trace_id uuid NOT NULL,
    payload text NOT NULL,
    seen_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    resource_id uuid,
    CONSTRAINT events_pkey PRIMARY KEY (tenant_id, tenant_event_id, occurred_at)
)
PARTITION BY RANGE (occurred_at);

CREATE INDEX events_resource_idx ON events (tenant_id, resource_id, tenant_event_id) WHERE (resource_id IS NOT NULL);
-- The events that a request caused.
CREATE INDEX events_tenant_id_trace_id_idx ON events (tenant_id, trace_id);
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- Rows by hour of their creation, business unit and status (packages/chassis/src/database/hourly-counts.ts).
CREATE TABLE hourly_counts (
    tenant_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    business_unit_id uuid NOT NULL,
    status text NOT NULL,
    count integer NOT NULL,
    CONSTRAINT hourly_counts_pkey PRIMARY KEY (tenant_id, hour, business_unit_id, status)
);

-- The retention reads by the hour, the job by the time of the next count.
CREATE INDEX hourly_counts_hour_idx ON hourly_counts (hour);
ALTER TABLE hourly_counts ENABLE ROW LEVEL SECURITY;
ALTER TABLE hourly_counts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON hourly_counts USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE idempotency_keys (
    tenant_id uuid NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    reference text,
    reply jsonb,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant_id, key)
);

CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON idempotency_keys USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE live_dispatchers (
    id uuid NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT live_dispatchers_pkey PRIMARY KEY (id)
);

-- The audit records of operators' calls, until they are published (packages/messaging/README.md).
CREATE TABLE operator_calls (
    id uuid NOT NULL,
    record jsonb NOT NULL,
    started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    completed_at timestamptz(3),
    leased_until timestamptz(3),
    CONSTRAINT operator_calls_pkey PRIMARY KEY (id)
);

-- Each event is written three times. Vacuum runs before claims read many index entries of published events.
CREATE TABLE outbox_events (
    id uuid NOT NULL,
    sequence bigserial,
    type text NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid,
    trace_id uuid NOT NULL,
    occurred_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    payload jsonb NOT NULL,
    leased_until timestamptz(3),
    published_at timestamptz(3),
    traceparent text,
    CONSTRAINT outbox_events_pkey PRIMARY KEY (id)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', vacuum_index_cleanup='on');

CREATE INDEX outbox_events_published_at_idx ON outbox_events (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_events_turns_idx ON outbox_events (tenant_id, sequence) WHERE (num_nulls(published_at) = 1);
CREATE INDEX outbox_events_unpublished_idx ON outbox_events (sequence) WHERE (published_at IS NULL);
ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON outbox_events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- Deleted subscriptions whose unfinished deliveries the dispatcher discards.
CREATE TABLE subscription_discards (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    "position" uuid,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT subscription_discards_pkey PRIMARY KEY (id)
);

CREATE INDEX subscription_discards_tenant_id_due_at_idx ON subscription_discards (tenant_id, due_at);
ALTER TABLE subscription_discards ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscription_discards FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON subscription_discards USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE subscriptions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    destination_url text NOT NULL,
    label text,
    event_types text[],
    webhook_auth_info_id uuid,
    enabled boolean DEFAULT true NOT NULL,
    secret_encrypted bytea,
    secret_masked text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    previous_secret_expires_at timestamptz(3),
    previous_secret_encrypted bytea,
    CONSTRAINT subscriptions_pkey PRIMARY KEY (id)
);

CREATE INDEX subscriptions_deleted_of_unit_idx ON subscriptions (tenant_id, business_unit_id, deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX subscriptions_live_of_tenant_idx ON subscriptions (tenant_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX subscriptions_live_of_unit_idx ON subscriptions (tenant_id, business_unit_id, id) WHERE (deleted_at IS NULL);
CREATE INDEX subscriptions_previous_secret_expires_at_idx ON subscriptions (previous_secret_expires_at);
CREATE INDEX subscriptions_tenant_id_business_unit_id_id_idx ON subscriptions (tenant_id, business_unit_id, id);
CREATE INDEX subscriptions_webhook_auth_info_id_idx ON subscriptions (webhook_auth_info_id);
ALTER TABLE subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON subscriptions USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE tasks (
    id uuid NOT NULL,
    tenant_id uuid,
    kind "TaskKind" NOT NULL,
    status "TaskStatus" DEFAULT 'running'::"TaskStatus" NOT NULL,
    selection jsonb NOT NULL,
    reason text,
    rate_per_second integer,
    total integer NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    "position" text,
    failures integer DEFAULT 0 NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    next_batch_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    finished_at timestamptz(3),
    dead integer DEFAULT 0 NOT NULL,
    delivered integer DEFAULT 0 NOT NULL,
    discarded integer DEFAULT 0 NOT NULL,
    outcomes_at timestamptz(3),
    outcomes_due_at timestamptz(3),
    waiting integer DEFAULT 0 NOT NULL,
    CONSTRAINT tasks_pkey PRIMARY KEY (id)
);

-- Due work is looked for several times a second.
CREATE INDEX tasks_running_idx ON tasks (next_batch_at) WHERE (status = 'running'::"TaskStatus");
CREATE INDEX tasks_tenant_id_id_idx ON tasks (tenant_id, id);
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE tasks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON tasks USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE unfinished_fan_outs (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    tenant_event_id uuid NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    "position" uuid NOT NULL,
    deliveries integer NOT NULL,
    traceparent text,
    due_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT unfinished_fan_outs_pkey PRIMARY KEY (id)
);

CREATE INDEX unfinished_fan_outs_tenant_id_due_at_idx ON unfinished_fan_outs (tenant_id, due_at);
CREATE UNIQUE INDEX unfinished_fan_outs_tenant_id_tenant_event_id_occurred_at_key ON unfinished_fan_outs (tenant_id, tenant_event_id, occurred_at);
ALTER TABLE unfinished_fan_outs ENABLE ROW LEVEL SECURITY;
ALTER TABLE unfinished_fan_outs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON unfinished_fan_outs USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- Rows whose day has no partition, such as those of events that were published long after they occurred.
CREATE TABLE events_default PARTITION OF events DEFAULT;
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT;
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT;

-- Read directly, a partition shows nothing: it has no policy.
ALTER TABLE events_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE events_default FORCE ROW LEVEL SECURITY;
ALTER TABLE deliveries_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE deliveries_default FORCE ROW LEVEL SECURITY;
ALTER TABLE attempts_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempts_default FORCE ROW LEVEL SECURITY;

SELECT webhooks_make_partitions(1, 7);
