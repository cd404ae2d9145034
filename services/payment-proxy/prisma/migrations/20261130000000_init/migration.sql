-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "OperationState" AS ENUM (
    'in_progress',
    'action_required',
    'succeeded',
    'declined',
    'pending',
    'not_attempted',
    'unknown',
    'reversed'
);

CREATE TYPE "OperationType" AS ENUM (
    'authorize',
    'capture',
    'void',
    'refund'
);

CREATE TYPE "SandboxState" AS ENUM (
    'succeeded',
    'declined',
    'pending',
    'never_received',
    'action_required'
);

CREATE TYPE "Stage" AS ENUM (
    'authorize',
    'capture'
);

CREATE TYPE "TransactionStatus" AS ENUM (
    'pending',
    'failed',
    'authorized',
    'partially_captured',
    'captured',
    'voided',
    'partially_refunded',
    'refunded'
);

-- The same text for every spelling of an address: a mailbox in lower case and without `+tag`, a phone number in E.164
-- without separators, `(0)` and extension (`addressOf` of the contract).
CREATE FUNCTION payer_address(value text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
    SELECT CASE WHEN strpos("value", '@') > 0 THEN lower(regexp_replace("value", '([^+])\+.*@', '\1@') COLLATE "C")
        ELSE regexp_replace(regexp_replace(regexp_replace(replace(
            coalesce(substring("value" from '[+0-9][^A-Za-z#;\u00c0-\u1fff\u3040-\ud7ff]*'), ''), '(0)', ''),
            '/(?:[^0-9]*[0-9]){0,3}[^0-9]*$', ''), '[^+0-9]', '', 'g'), '^00', '+') END
$_$;

-- Copies of business units and their payment orchestrators (packages/business-unit-copies).
CREATE TABLE business_unit_copies (
    business_unit_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit jsonb NOT NULL,
    payment_orchestrators jsonb NOT NULL,
    CONSTRAINT business_unit_copies_orchestrators_check CHECK ((jsonb_typeof(payment_orchestrators) = 'array'::text)),
    CONSTRAINT business_unit_copies_unit_check CHECK ((NOT ((business_unit ->> 'id'::text) IS DISTINCT FROM (business_unit_id)::text))),
    CONSTRAINT business_unit_copies_pkey PRIMARY KEY (business_unit_id)
);

CREATE INDEX business_unit_copies_payment_orchestrators_idx ON business_unit_copies USING gin (jsonb_path_query_array(payment_orchestrators, '$[*]."id"'::jsonpath) jsonb_path_ops);
ALTER TABLE business_unit_copies ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_unit_copies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON business_unit_copies USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

-- Names the account at the provider that an operation was sent to. Null: not known.
CREATE TABLE operations (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    number integer NOT NULL,
    type "OperationType" NOT NULL,
    state "OperationState" NOT NULL,
    amount bigint NOT NULL,
    amount_released bigint NOT NULL,
    stage "Stage",
    reason text,
    items jsonb,
    provider_reference text,
    error jsonb,
    attempt_count integer NOT NULL,
    due_at timestamptz(3),
    trace_id uuid NOT NULL,
    created_at timestamptz(3) NOT NULL,
    completed_at timestamptz(3),
    resolution jsonb,
    open_reason text,
    actor text NOT NULL,
    action jsonb,
    authentication jsonb,
    void_request jsonb,
    pending_reported_at timestamptz(3),
    account text,
    CONSTRAINT operations_action_check CHECK (((((state)::text <> 'action_required'::text) OR ((type = 'authorize'::"OperationType") AND (action IS NOT NULL))) AND ((action IS NULL) OR (due_at IS NOT NULL)))),
    CONSTRAINT operations_amounts_check CHECK ((((amount >= 0) AND (amount <= '999999999999'::bigint)) AND ((amount_released >= 0) AND (amount_released <= '999999999999'::bigint)))),
    CONSTRAINT operations_in_flight_check CHECK (((((state)::text = ANY (ARRAY['in_progress'::text, 'action_required'::text, 'pending'::text, 'unknown'::text])) = (due_at IS NOT NULL)) AND ((due_at IS NULL) = (completed_at IS NOT NULL)))),
    CONSTRAINT operations_reversed_check CHECK ((((state)::text <> 'reversed'::text) OR (type = 'refund'::"OperationType"))),
    CONSTRAINT operations_pkey PRIMARY KEY (id)
);

-- Reconciliation reads the operations of a day.
CREATE INDEX operations_created_at_idx ON operations USING brin (created_at);
-- Open operations, which the sweepers look for.
CREATE INDEX operations_due_idx ON operations (due_at) WHERE (due_at IS NOT NULL);
-- One operation in flight per transaction.
CREATE UNIQUE INDEX operations_one_open_key ON operations (transaction_id) WHERE (due_at IS NOT NULL);
-- Finds the operation of an event, and the tenant of a payment orchestrator.
CREATE INDEX operations_provider_reference_idx ON operations (tenant_id, provider_reference) WHERE (provider_reference IS NOT NULL);
-- The due operations of one tenant, without reading those of others.
CREATE INDEX operations_tenant_due_idx ON operations (tenant_id, due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX operations_transaction_id_number_key ON operations (transaction_id, number);
ALTER TABLE operations ENABLE ROW LEVEL SECURITY;
ALTER TABLE operations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON operations USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

-- Erasures of payers that the service works on.
CREATE TABLE payer_erasures (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    trace_id uuid NOT NULL,
    address text,
    address_hash bytea,
    requested_at timestamptz(3) NOT NULL,
    "position" uuid,
    resources integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3),
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT payer_erasures_due_check CHECK (((address IS NULL) = (due_at IS NULL))),
    CONSTRAINT payer_erasures_hash_check CHECK ((length(address_hash) = 32)),
    CONSTRAINT payer_erasures_pkey PRIMARY KEY (id)
);

CREATE INDEX payer_erasures_created_at_idx ON payer_erasures (created_at);
CREATE INDEX payer_erasures_tenant_id_address_hash_idx ON payer_erasures (tenant_id, address_hash);
CREATE INDEX payer_erasures_tenant_id_due_at_idx ON payer_erasures (tenant_id, due_at);
ALTER TABLE payer_erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE payer_erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payer_erasures USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- The inbox of what payment providers report.
CREATE TABLE provider_events (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    payment_orchestrator_id uuid NOT NULL,
    event_id text NOT NULL,
    operation_id uuid,
    provider_reference text,
    outcome jsonb NOT NULL,
    received_at timestamptz(3) NOT NULL,
    applied_at timestamptz(3),
    attempt_count integer NOT NULL,
    due_at timestamptz(3),
    CONSTRAINT provider_events_state_check CHECK (((due_at IS NULL) OR (applied_at IS NULL))),
    CONSTRAINT provider_events_pkey PRIMARY KEY (id)
);

CREATE INDEX provider_events_due_idx ON provider_events (due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX provider_events_payment_orchestrator_id_event_id_key ON provider_events (payment_orchestrator_id, event_id);
-- The due events of one tenant, and the waiting events of one payment orchestrator, without reading those of others.
CREATE INDEX provider_events_tenant_due_idx ON provider_events (tenant_id, due_at, id) WHERE (due_at IS NOT NULL);
CREATE INDEX provider_events_waiting_idx ON provider_events (payment_orchestrator_id, id) WHERE (due_at IS NOT NULL);
ALTER TABLE provider_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE provider_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON provider_events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- Events of recorded outcomes that their contract rejected.
CREATE TABLE quarantined_events (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    operation_id uuid NOT NULL,
    type text NOT NULL,
    reason text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT quarantined_events_pkey PRIMARY KEY (id)
);

ALTER TABLE quarantined_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE quarantined_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON quarantined_events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- The ledger of the sandbox is read per payment orchestrator, and a refund can fail after it succeeded.
CREATE TABLE sandbox_operations (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    authorization_id uuid NOT NULL,
    type "OperationType" NOT NULL,
    state "SandboxState" NOT NULL,
    token text,
    payment_method text,
    amount bigint NOT NULL,
    amount_released bigint NOT NULL,
    currency character(3) NOT NULL,
    decline_code text,
    sync_count integer DEFAULT 0 NOT NULL,
    received_at timestamptz(3) NOT NULL,
    answered_at timestamptz(3) NOT NULL,
    fails_at timestamptz(3),
    payment_orchestrator_id uuid NOT NULL,
    challenge text,
    return_url text,
    action_expires_at timestamptz(3),
    CONSTRAINT sandbox_operations_pkey PRIMARY KEY (id)
);

CREATE INDEX sandbox_operations_authorization_id_idx ON sandbox_operations (authorization_id);
CREATE UNIQUE INDEX sandbox_operations_challenge_key ON sandbox_operations (challenge) WHERE (challenge IS NOT NULL);
CREATE INDEX sandbox_operations_failing_idx ON sandbox_operations (fails_at) WHERE (fails_at IS NOT NULL);
-- The authorizations of the sandbox that still have the page to return to, by the end of the time to decide.
CREATE INDEX sandbox_operations_returning_idx ON sandbox_operations (action_expires_at) WHERE (return_url IS NOT NULL);
CREATE INDEX sandbox_operations_tenant_failing_idx ON sandbox_operations (tenant_id, fails_at) WHERE (fails_at IS NOT NULL);
CREATE INDEX sandbox_operations_tenant_id_id_idx ON sandbox_operations (tenant_id, id);
ALTER TABLE sandbox_operations ENABLE ROW LEVEL SECURITY;
ALTER TABLE sandbox_operations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sandbox_operations USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE transactions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    payment_orchestrator_id uuid NOT NULL,
    merchant_id text,
    external_reference text,
    currency character(3) NOT NULL,
    amount bigint NOT NULL,
    amount_authorized bigint DEFAULT 0 NOT NULL,
    amount_captured bigint DEFAULT 0 NOT NULL,
    amount_refunded bigint DEFAULT 0 NOT NULL,
    amount_voided bigint DEFAULT 0 NOT NULL,
    capture boolean NOT NULL,
    payment_method jsonb,
    authorization_expires_at timestamptz(3),
    items jsonb NOT NULL,
    customer_details jsonb,
    metadata jsonb NOT NULL,
    version integer NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    status "TransactionStatus" DEFAULT 'pending'::"TransactionStatus" NOT NULL,
    i2p boolean DEFAULT false NOT NULL,
    invitation jsonb,
    locale text,
    CONSTRAINT transactions_amounts_check CHECK ((((amount >= 1) AND (amount <= '999999999999'::bigint)) AND ((amount_authorized >= 0) AND (amount_authorized <= amount)) AND (amount_captured >= 0) AND (amount_voided >= 0) AND ((amount_captured + amount_voided) <= amount_authorized) AND ((amount_refunded >= 0) AND (amount_refunded <= amount_captured)))),
    CONSTRAINT transactions_invitation_check CHECK ((i2p OR (invitation IS NULL))),
    CONSTRAINT transactions_pkey PRIMARY KEY (id)
);

CREATE INDEX transactions_authorized_idx ON transactions (tenant_id, id) WHERE (status = 'authorized'::"TransactionStatus");
CREATE INDEX transactions_captured_idx ON transactions (tenant_id, id) WHERE (status = 'captured'::"TransactionStatus");
CREATE INDEX transactions_expiring_idx ON transactions (authorization_expires_at) WHERE (amount_authorized > (amount_captured + amount_voided));
CREATE INDEX transactions_failed_idx ON transactions (tenant_id, id) WHERE (status = 'failed'::"TransactionStatus");
CREATE INDEX transactions_partially_captured_idx ON transactions (tenant_id, id) WHERE (status = 'partially_captured'::"TransactionStatus");
CREATE INDEX transactions_partially_refunded_idx ON transactions (tenant_id, id) WHERE (status = 'partially_refunded'::"TransactionStatus");
CREATE INDEX transactions_pending_idx ON transactions (tenant_id, id) WHERE (status = 'pending'::"TransactionStatus");
CREATE INDEX transactions_refunded_idx ON transactions (tenant_id, id) WHERE (status = 'refunded'::"TransactionStatus");
-- Transactions by amount.
CREATE INDEX transactions_tenant_id_amount_id_idx ON transactions (tenant_id, amount, id);
CREATE UNIQUE INDEX transactions_tenant_id_business_unit_id_external_reference_key ON transactions (tenant_id, business_unit_id, external_reference) WHERE ((status <> 'voided'::"TransactionStatus") OR (amount_authorized > 0));
CREATE INDEX transactions_tenant_id_business_unit_id_id_idx ON transactions (tenant_id, business_unit_id, id);
CREATE INDEX transactions_tenant_id_created_at_idx ON transactions (tenant_id, created_at);
CREATE INDEX transactions_tenant_id_id_idx ON transactions (tenant_id, id);
CREATE INDEX transactions_tenant_id_payment_orchestrator_id_id_idx ON transactions (tenant_id, payment_orchestrator_id, id);
-- Transactions whose reference begins with a text.
CREATE INDEX transactions_tenant_reference_idx ON transactions (tenant_id, external_reference text_pattern_ops) WHERE (external_reference IS NOT NULL);
CREATE INDEX transactions_unredacted_idx ON transactions (tenant_id, updated_at) WHERE (((customer_details IS NOT NULL) OR ((invitation ->> 'recipient'::text) <> 'erased'::text)) AND (status <> 'authorized'::"TransactionStatus"));
CREATE INDEX transactions_voided_idx ON transactions (tenant_id, id) WHERE (status = 'voided'::"TransactionStatus");
ALTER TABLE transactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE transactions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON transactions USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

ALTER TABLE operations ADD CONSTRAINT operations_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES transactions(id) ON UPDATE CASCADE ON DELETE RESTRICT;
