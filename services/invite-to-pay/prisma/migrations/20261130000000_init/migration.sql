-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "CodeStatus" AS ENUM (
    'active',
    'processing',
    'completed',
    'expired',
    'canceled'
);

CREATE TYPE "CommunicationType" AS ENUM (
    'EMAIL',
    'SMS'
);

CREATE TYPE "MessageKind" AS ENUM (
    'invitation',
    'reminder',
    'receipt'
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

CREATE TABLE business_unit_copies (
    business_unit_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit jsonb NOT NULL,
    payment_orchestrators jsonb NOT NULL,
    CONSTRAINT business_unit_copies_orchestrators_check CHECK ((jsonb_typeof(payment_orchestrators) = 'array'::text)),
    CONSTRAINT business_unit_copies_unit_check CHECK ((NOT ((business_unit ->> 'id'::text) IS DISTINCT FROM (business_unit_id)::text))),
    CONSTRAINT business_unit_copies_pkey PRIMARY KEY (business_unit_id)
);

-- The deleted business units and their active codes, which a job cancels.
CREATE INDEX business_unit_copies_deleted_idx ON business_unit_copies (business_unit_id) WHERE ((business_unit ->> 'status'::text) = 'deleted'::text);
-- The deleted payment orchestrators, whose active codes a job cancels.
CREATE INDEX business_unit_copies_deleted_orchestrator_idx ON business_unit_copies (business_unit_id) WHERE (payment_orchestrators @> '[{"status": "deleted"}]'::jsonb);
ALTER TABLE business_unit_copies ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_unit_copies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON business_unit_copies USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE codes (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    transaction_id uuid NOT NULL,
    trace_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    code_encrypted bytea NOT NULL,
    status "CodeStatus" DEFAULT 'active'::"CodeStatus" NOT NULL,
    canceled_by text,
    amount bigint NOT NULL,
    currency text NOT NULL,
    capture boolean NOT NULL,
    items jsonb NOT NULL,
    reference text NOT NULL,
    payment_orchestrator_id uuid NOT NULL,
    recipient text NOT NULL,
    communication_type "CommunicationType" NOT NULL,
    template_id uuid,
    communication_details jsonb NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    reminder_at timestamptz(3),
    remind_due_at timestamptz(3),
    return_url text,
    payment_id uuid,
    claimed_at timestamptz(3),
    recover_at timestamptz(3),
    recover_count integer DEFAULT 0 NOT NULL,
    decline_count integer DEFAULT 0 NOT NULL,
    window_started_at timestamptz(3),
    window_count integer DEFAULT 0 NOT NULL,
    resend_count integer DEFAULT 0 NOT NULL,
    invited_at timestamptz(3) NOT NULL,
    last_sent_at timestamptz(3),
    communication_id uuid,
    last_error jsonb,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    locale text,
    payer_locale text,
    payer_time_zone text,
    payment_brand text,
    payment_last4 text,
    confirmation jsonb,
    confirmation_synced_at timestamptz(3),
    paid_at timestamptz(3),
    CONSTRAINT codes_amount_check CHECK ((amount >= 1)),
    CONSTRAINT codes_canceled_check CHECK ((((status = 'canceled'::"CodeStatus") = (canceled_by IS NOT NULL)) AND (canceled_by = ANY (ARRAY['request'::text, 'transaction'::text, 'declines'::text])))),
    CONSTRAINT codes_code_hash_check CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT codes_confirmation_check CHECK (((confirmation IS NULL) OR (status = 'processing'::"CodeStatus"))),
    CONSTRAINT codes_declines_check CHECK ((((decline_count >= 0) AND (decline_count <= 10)) AND ((decline_count < 10) OR (status <> ALL (ARRAY['active'::"CodeStatus", 'processing'::"CodeStatus"]))))),
    CONSTRAINT codes_lifetime_check CHECK ((expires_at <= (created_at + '1680:00:00'::interval))),
    CONSTRAINT codes_processing_check CHECK ((((status = 'processing'::"CodeStatus") = (payment_id IS NOT NULL)) AND ((status = 'processing'::"CodeStatus") = (claimed_at IS NOT NULL)) AND ((recover_at IS NOT NULL) OR (status <> 'processing'::"CodeStatus")) AND ((recover_at IS NULL) OR (status = ANY (ARRAY['active'::"CodeStatus", 'processing'::"CodeStatus"]))))),
    CONSTRAINT codes_remind_due_check CHECK (((remind_due_at IS NULL) OR (remind_due_at = reminder_at))),
    CONSTRAINT codes_reminder_check CHECK ((reminder_at < expires_at)),
    CONSTRAINT codes_resends_check CHECK (((resend_count >= 0) AND (resend_count <= 10))),
    CONSTRAINT codes_version_check CHECK ((version >= 1)),
    CONSTRAINT codes_window_check CHECK (((window_count >= 0) AND (window_count <= 5))),
    CONSTRAINT codes_pkey PRIMARY KEY (id)
);

CREATE INDEX codes_business_unit_id_idx ON codes (business_unit_id) WHERE (status = 'active'::"CodeStatus");
CREATE UNIQUE INDEX codes_code_hash_key ON codes (code_hash);
-- The next rows of the jobs.
CREATE INDEX codes_expires_at_idx ON codes (expires_at) WHERE (status = 'active'::"CodeStatus");
-- A transaction whose codes have ended gets a new one: at most one code of a transaction can be paid.
CREATE UNIQUE INDEX codes_one_open_key ON codes (transaction_id) WHERE (status = ANY (ARRAY['active'::"CodeStatus", 'processing'::"CodeStatus"]));
-- The active codes of deleted payment orchestrators, which a job cancels.
CREATE INDEX codes_payment_orchestrator_id_idx ON codes (payment_orchestrator_id) WHERE (status = 'active'::"CodeStatus");
CREATE INDEX codes_recover_at_idx ON codes (recover_at) WHERE (recover_at IS NOT NULL);
CREATE INDEX codes_remind_due_at_idx ON codes (remind_due_at) WHERE ((status = 'active'::"CodeStatus") AND (remind_due_at IS NOT NULL));
CREATE UNIQUE INDEX codes_tenant_id_id_key ON codes (tenant_id, id);
CREATE INDEX codes_tenant_id_recipient_id_idx ON codes (tenant_id, recipient, id);
CREATE INDEX codes_tenant_id_transaction_id_id_idx ON codes (tenant_id, transaction_id, id);
CREATE INDEX codes_unredacted_idx ON codes (tenant_id, updated_at) WHERE ((status = ANY (ARRAY['completed'::"CodeStatus", 'expired'::"CodeStatus", 'canceled'::"CodeStatus"])) AND (recipient <> 'erased'::text));
ALTER TABLE codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE codes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON codes USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE messages (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code_id uuid NOT NULL,
    kind "MessageKind" NOT NULL,
    trace_id uuid NOT NULL,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3),
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT messages_pkey PRIMARY KEY (id)
);

CREATE INDEX messages_due_at_idx ON messages (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX messages_tenant_id_code_id_idx ON messages (tenant_id, code_id);
-- The next due messages of each tenant, which the sending loop claims in turn.
CREATE INDEX messages_tenant_id_due_at_idx ON messages (tenant_id, due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON messages USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

ALTER TABLE messages ADD CONSTRAINT messages_tenant_id_code_id_fkey FOREIGN KEY (tenant_id, code_id) REFERENCES codes(tenant_id, id) ON UPDATE RESTRICT ON DELETE RESTRICT;
