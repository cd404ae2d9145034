-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

-- Records of the last seven days cannot be dropped, whatever `keep_days` is.
CREATE FUNCTION audit_drop_partitions(keep_days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    name TEXT;
    dropped INTEGER := 0;
BEGIN
    IF keep_days < 7 THEN
        RAISE EXCEPTION 'audit records are kept for at least 7 days, not %', keep_days;
    END IF;
    FOR name IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'public.audit_records'::regclass AND c.relname ~ '^audit_records_\d{8}$'
          AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
    LOOP
        EXECUTE format('DROP TABLE %I', name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$_$;

-- Callers at the same time create each partition once: the first one waits for no other, the others find it. pg_class is
-- read, because to_regclass answers from a cache that a wait for an advisory lock does not refresh.
CREATE FUNCTION audit_make_partitions(days integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    today DATE := (clock_timestamp() AT TIME ZONE 'UTC')::DATE;
    first_day DATE;
    name TEXT;
    made INTEGER := 0;
BEGIN
    IF days NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'partitions are made for 0 to 60 days ahead, not %', days;
    END IF;
    FOR ahead IN 0..days LOOP
        first_day := today + ahead;
        name := 'audit_records_' || to_char(first_day, 'YYYYMMDD');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
        PERFORM pg_advisory_xact_lock(7366203);
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = name AND relnamespace = 'public'::regnamespace);
        EXECUTE format('CREATE TABLE %I (LIKE audit_records INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first_day, first_day + 1);
        made := made + 1;
    END LOOP;
    RETURN made;
END
$$;

-- Records and seals are written once. The chain shows a change that goes around this trigger.
CREATE FUNCTION audit_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'audit records and seals are never changed';
END
$$;

CREATE TABLE audit_chains (
    tenant_id uuid NOT NULL,
    head_position bigint DEFAULT 0 NOT NULL,
    sealed_position bigint DEFAULT 0 NOT NULL,
    sealed_sequence bigint DEFAULT 0 NOT NULL,
    CONSTRAINT audit_chains_pkey PRIMARY KEY (tenant_id)
);

-- Chains with records to seal.
CREATE INDEX audit_chains_unsealed ON audit_chains (tenant_id) WHERE (head_position > sealed_position);
ALTER TABLE audit_chains ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_chains FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_chains USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- `client_gone`: the client left before the response. `count`: of folded records. `client`: of records of people.
CREATE TABLE audit_records (
    tenant_id uuid NOT NULL,
    "position" bigint NOT NULL,
    stored_on date NOT NULL,
    id uuid NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    trace_id uuid NOT NULL,
    actor_type text NOT NULL,
    actor_id text,
    method text,
    path text,
    operation text,
    permission text,
    outcome text NOT NULL,
    status integer NOT NULL,
    code text,
    ip text NOT NULL,
    user_agent text,
    duration_ms double precision NOT NULL,
    client_gone boolean DEFAULT false NOT NULL,
    count integer DEFAULT 1 NOT NULL,
    client text,
    CONSTRAINT audit_records_actor_type CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'user'::text, 'operator'::text, 'anonymous'::text]))),
    CONSTRAINT audit_records_count CHECK ((count >= 1)),
    CONSTRAINT audit_records_outcome CHECK ((outcome = ANY (ARRAY['success'::text, 'denied'::text, 'rejected'::text, 'error'::text]))),
    CONSTRAINT audit_records_pkey PRIMARY KEY (tenant_id, "position", stored_on),
    CONSTRAINT audit_records_client CHECK ((client = ANY (ARRAY['console'::text, 'cli'::text])))
)
PARTITION BY RANGE (stored_on);

CREATE UNIQUE INDEX audit_records_tenant_id_id_stored_on_key ON audit_records (tenant_id, id, stored_on);
CREATE INDEX audit_records_tenant_id_trace_id_idx ON audit_records (tenant_id, trace_id);
ALTER TABLE audit_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_records FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_records USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));
CREATE TRIGGER audit_written_once BEFORE DELETE OR UPDATE ON audit_records FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();

-- HMAC-SHA256 with the key of that id.
CREATE TABLE audit_seals (
    tenant_id uuid NOT NULL,
    sequence bigint NOT NULL,
    from_position bigint NOT NULL,
    to_position bigint NOT NULL,
    stored_on date NOT NULL,
    digest text NOT NULL,
    previous_hash text NOT NULL,
    hash text NOT NULL,
    sealed_at timestamptz(3) NOT NULL,
    version integer NOT NULL,
    key_id text NOT NULL,
    CONSTRAINT audit_seals_version CHECK ((version = 2)),
    CONSTRAINT audit_seals_pkey PRIMARY KEY (tenant_id, sequence)
);

ALTER TABLE audit_seals ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_seals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_seals USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));
CREATE TRIGGER audit_written_once BEFORE DELETE OR UPDATE ON audit_seals FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();

-- Requests per tenant and hour of their arrival. Sealing adds each record once (src/verbs/seal-chain.ts).
-- Names are compared by their bytes: reads group many rows by them.
CREATE TABLE audit_statistics (
    tenant_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    client text NOT NULL COLLATE pg_catalog."C",
    code text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    CONSTRAINT audit_statistics_pkey PRIMARY KEY (tenant_id, hour, outcome, client, code)
);

-- The retention reads by the hour.
CREATE INDEX audit_statistics_hour_idx ON audit_statistics (hour);
ALTER TABLE audit_statistics ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_statistics FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_statistics USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- How far the running verification of a chain is, and the result of the last one (src/verbs/verify-next-range.ts).
CREATE TABLE audit_verifications (
    tenant_id uuid NOT NULL,
    sequence bigint DEFAULT 0 NOT NULL,
    findings integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3) NOT NULL,
    verified_at timestamptz(3),
    verified_position bigint,
    verified_findings integer,
    CONSTRAINT audit_verifications_pkey PRIMARY KEY (tenant_id)
);

CREATE INDEX audit_verifications_due_at_idx ON audit_verifications (due_at);
ALTER TABLE audit_verifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_verifications FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_verifications USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- The audit records of operators' calls, until they are published (packages/messaging/README.md).
CREATE TABLE operator_calls (
    id uuid NOT NULL,
    record jsonb NOT NULL,
    started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    completed_at timestamptz(3),
    leased_until timestamptz(3),
    CONSTRAINT operator_calls_pkey PRIMARY KEY (id)
);
