-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "Environment" AS ENUM (
    'dev',
    'qa',
    'prod'
);

CREATE TABLE authz_epoch (
    id integer DEFAULT 1 NOT NULL,
    incarnation uuid DEFAULT gen_random_uuid() NOT NULL,
    epoch bigint DEFAULT 0 NOT NULL,
    CONSTRAINT authz_epoch_one_row CHECK ((id = 1)),
    CONSTRAINT authz_epoch_pkey PRIMARY KEY (id)
);

CREATE TABLE authz_invalidations (
    epoch bigint NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    recorded_at timestamptz(3) NOT NULL,
    CONSTRAINT authz_invalidations_pkey PRIMARY KEY (epoch, kind, id)
);

CREATE INDEX authz_invalidations_recorded_at_idx ON authz_invalidations (recorded_at);

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

CREATE TABLE failed_authentications (
    address text NOT NULL,
    failures integer NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT failed_authentications_pkey PRIMARY KEY (address)
);

CREATE INDEX failed_authentications_ends_at_idx ON failed_authentications (ends_at);

CREATE UNLOGGED TABLE gateway_replicas (
    id uuid NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT gateway_replicas_pkey PRIMARY KEY (id)
);

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

CREATE TABLE key_roles (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    role_id uuid NOT NULL,
    CONSTRAINT key_roles_pkey PRIMARY KEY (key_id, role_id)
);

CREATE INDEX key_roles_tenant_id_role_id_idx ON key_roles (tenant_id, role_id);
ALTER TABLE key_roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_roles FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON key_roles USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE keys (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    environment "Environment" NOT NULL,
    masked_value text NOT NULL,
    value_encrypted bytea NOT NULL,
    pepper_kid text NOT NULL,
    index_hmac bytea NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    expires_at timestamptz(3),
    allowed_cidrs text[] DEFAULT ARRAY[]::text[],
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    created_by text NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3),
    rotation integer DEFAULT 0 NOT NULL,
    CONSTRAINT keys_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX keys_pepper_kid_index_hmac_key ON keys (pepper_kid, index_hmac);
CREATE INDEX keys_tenant_id_id_idx ON keys (tenant_id, id);
ALTER TABLE keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON keys USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE previous_values (
    key_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    rotation integer NOT NULL,
    value_encrypted bytea NOT NULL,
    pepper_kid text NOT NULL,
    index_hmac bytea NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT previous_values_pkey PRIMARY KEY (key_id)
);

CREATE INDEX previous_values_ends_at_idx ON previous_values (ends_at);
CREATE UNIQUE INDEX previous_values_pepper_kid_index_hmac_key ON previous_values (pepper_kid, index_hmac);
ALTER TABLE previous_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE previous_values FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON previous_values USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE UNLOGGED TABLE request_rates (
    subject text NOT NULL,
    full_at timestamptz(6) NOT NULL,
    CONSTRAINT request_rates_pkey PRIMARY KEY (subject)
);

CREATE TABLE reveal_attempts (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    actor text NOT NULL,
    attempted_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT reveal_attempts_pkey PRIMARY KEY (id)
);

CREATE INDEX reveal_attempts_attempted_at_idx ON reveal_attempts (attempted_at);
CREATE INDEX reveal_attempts_tenant_id_actor_attempted_at_idx ON reveal_attempts (tenant_id, actor, attempted_at);
ALTER TABLE reveal_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE reveal_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON reveal_attempts USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

ALTER TABLE key_roles ADD CONSTRAINT key_roles_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE previous_values ADD CONSTRAINT previous_values_key_id_fkey FOREIGN KEY (key_id) REFERENCES keys(id) ON UPDATE CASCADE ON DELETE CASCADE;

INSERT INTO authz_epoch (id) VALUES (1);
