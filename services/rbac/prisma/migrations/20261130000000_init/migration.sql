-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "RoleKind" AS ENUM (
    'built_in',
    'custom'
);

CREATE TYPE "TenantStatus" AS ENUM (
    'active',
    'suspended'
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

CREATE TABLE roles (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    kind "RoleKind" NOT NULL,
    permissions text[],
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    deleting_until timestamptz(3),
    name_key text NOT NULL,
    CONSTRAINT roles_pkey PRIMARY KEY (id)
);

CREATE INDEX roles_tenant_id_id_idx ON roles (tenant_id, id);
CREATE UNIQUE INDEX roles_tenant_id_name_key ON roles (tenant_id, name);
CREATE UNIQUE INDEX roles_tenant_id_name_key_key ON roles (tenant_id, name_key);
ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
ALTER TABLE roles FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON roles USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    status "TenantStatus" DEFAULT 'active'::"TenantStatus" NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT tenants_pkey PRIMARY KEY (id)
);

ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON tenants USING (current_setting('app.tenant_id', true) IN ('*', id::text));

ALTER TABLE roles ADD CONSTRAINT roles_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE RESTRICT;

INSERT INTO authz_epoch (id) VALUES (1);
