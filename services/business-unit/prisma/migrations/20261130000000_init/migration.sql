-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "BusinessUnitStatus" AS ENUM (
    'active',
    'deleted'
);

CREATE TYPE "PaymentOrchestratorMode" AS ENUM (
    'test',
    'live'
);

CREATE TYPE "PaymentOrchestratorStatus" AS ENUM (
    'active',
    'inactive',
    'deleted'
);

CREATE TABLE business_units (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    timezone_name text NOT NULL,
    default_currency text,
    branding jsonb NOT NULL,
    communication jsonb NOT NULL,
    status "BusinessUnitStatus" DEFAULT 'active'::"BusinessUnitStatus" NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    default_locale text,
    CONSTRAINT business_units_version CHECK ((version >= 1)),
    CONSTRAINT business_units_pkey PRIMARY KEY (id)
);

-- Names of active units, and the default of a unit.
CREATE UNIQUE INDEX business_units_active_name_key ON business_units (tenant_id, name_key) WHERE (status = 'active'::"BusinessUnitStatus");
CREATE UNIQUE INDEX business_units_tenant_id_id_key ON business_units (tenant_id, id);
ALTER TABLE business_units ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_units FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON business_units USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

-- The audit records of operators' calls, until they are published (packages/messaging/README.md).
CREATE TABLE operator_calls (
    id uuid NOT NULL,
    record jsonb NOT NULL,
    started_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    completed_at timestamptz(3),
    leased_until timestamptz(3),
    CONSTRAINT operator_calls_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox_events (
    id uuid NOT NULL,
    sequence bigserial,
    type text NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid,
    trace_id uuid NOT NULL,
    occurred_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    payload jsonb NOT NULL,
    traceparent text,
    leased_until timestamptz(3),
    published_at timestamptz(3),
    CONSTRAINT outbox_events_pkey PRIMARY KEY (id)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', vacuum_index_cleanup='on');

CREATE INDEX outbox_events_published_at_idx ON outbox_events (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_events_turns_idx ON outbox_events (tenant_id, sequence) WHERE (num_nulls(published_at) = 1);
-- The outbox (packages/messaging/README.md).
CREATE INDEX outbox_events_unpublished_idx ON outbox_events (sequence) WHERE (published_at IS NULL);
ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON outbox_events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE payment_orchestrators (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    name text NOT NULL,
    payment_gateway text NOT NULL,
    mode "PaymentOrchestratorMode" NOT NULL,
    gateway_url text,
    iframe_url text,
    tokenizer_url text,
    gateway_authentication_encrypted bytea,
    gateway_authentication_fingerprint text,
    payment_methods text[],
    currencies text[],
    is_default boolean NOT NULL,
    status "PaymentOrchestratorStatus" NOT NULL,
    settings jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    card_page_trusted boolean DEFAULT false NOT NULL,
    CONSTRAINT payment_orchestrators_default_is_active CHECK (((NOT is_default) OR (status = 'active'::"PaymentOrchestratorStatus"))),
    CONSTRAINT payment_orchestrators_fingerprint CHECK (((gateway_authentication_encrypted IS NULL) = (gateway_authentication_fingerprint IS NULL))),
    CONSTRAINT payment_orchestrators_sandbox_is_test CHECK (((payment_gateway <> 'sandbox'::text) OR (mode = 'test'::"PaymentOrchestratorMode"))),
    CONSTRAINT payment_orchestrators_version CHECK ((version >= 1)),
    CONSTRAINT payment_orchestrators_pkey PRIMARY KEY (id)
);

CREATE UNIQUE INDEX payment_orchestrators_default_key ON payment_orchestrators (business_unit_id) WHERE is_default;
CREATE INDEX payment_orchestrators_tenant_id_business_unit_id_id_idx ON payment_orchestrators (tenant_id, business_unit_id, id);
ALTER TABLE payment_orchestrators ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_orchestrators FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payment_orchestrators USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

ALTER TABLE payment_orchestrators ADD CONSTRAINT payment_orchestrators_tenant_id_business_unit_id_fkey FOREIGN KEY (tenant_id, business_unit_id) REFERENCES business_units(tenant_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
