-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "CommunicationStatus" AS ENUM (
    'queued',
    'sent',
    'failed'
);

CREATE TYPE "CommunicationType" AS ENUM (
    'EMAIL',
    'SMS'
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

ALTER TABLE business_unit_copies ENABLE ROW LEVEL SECURITY;
ALTER TABLE business_unit_copies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON business_unit_copies USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- `template_name`, `template_version` and `amount`: the template as it was, and the amount that the message showed.
CREATE TABLE communications (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid NOT NULL,
    communication_type "CommunicationType" NOT NULL,
    recipient text NOT NULL,
    template_id uuid,
    trace_id uuid NOT NULL,
    status "CommunicationStatus" DEFAULT 'queued'::"CommunicationStatus" NOT NULL,
    provider text NOT NULL,
    provider_message_id text,
    error jsonb,
    content jsonb,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3),
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    sent_at timestamptz(3),
    template_name text,
    template_version integer,
    amount text,
    CONSTRAINT communications_failed_check CHECK (((status = 'failed'::"CommunicationStatus") = (error IS NOT NULL))),
    CONSTRAINT communications_provider_check CHECK ((provider = ANY (ARRAY['outbox'::text, 'smtp'::text, 'http'::text]))),
    CONSTRAINT communications_queued_check CHECK ((((status = 'queued'::"CommunicationStatus") = (due_at IS NOT NULL)) AND ((status = 'queued'::"CommunicationStatus") = (content IS NOT NULL)))),
    CONSTRAINT communications_sent_check CHECK (((status = 'sent'::"CommunicationStatus") = (sent_at IS NOT NULL))),
    CONSTRAINT communications_pkey PRIMARY KEY (id)
);

-- The next due communications, which the delivery loop claims.
CREATE INDEX communications_due_at_idx ON communications (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX communications_tenant_id_created_at_idx ON communications (tenant_id, created_at);
-- The next due communications of each tenant, which the delivery loop claims in turn.
CREATE INDEX communications_tenant_id_due_at_idx ON communications (tenant_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX communications_tenant_id_id_idx ON communications (tenant_id, id);
CREATE INDEX communications_tenant_id_recipient_id_idx ON communications (tenant_id, recipient, id);
CREATE INDEX communications_unredacted_idx ON communications (tenant_id, created_at) WHERE ((status <> 'queued'::"CommunicationStatus") AND (recipient <> 'erased'::text));
ALTER TABLE communications ENABLE ROW LEVEL SECURITY;
ALTER TABLE communications FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON communications USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE message_rates (
    key text NOT NULL,
    busy_until timestamptz(3) NOT NULL,
    CONSTRAINT message_rates_pkey PRIMARY KEY (key)
);

CREATE INDEX message_rates_busy_until_idx ON message_rates (busy_until);

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
-- Unpublished events are few and claimed in the order of their sequence (packages/messaging/README.md).
CREATE INDEX outbox_events_unpublished_idx ON outbox_events (sequence) WHERE (published_at IS NULL);
ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON outbox_events USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- A message on behalf of the tenant has no business unit. Development only: the outbox exists nowhere else.
CREATE TABLE outbox_messages (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid,
    communication_type "CommunicationType" NOT NULL,
    recipient text NOT NULL,
    content jsonb NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT outbox_messages_pkey PRIMARY KEY (id)
);

CREATE INDEX outbox_messages_created_at_idx ON outbox_messages (created_at);
CREATE INDEX outbox_messages_tenant_id_id_idx ON outbox_messages (tenant_id, id);
ALTER TABLE outbox_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON outbox_messages USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- What each service has done for an erasure. Its event expires in the outbox.
CREATE TABLE payer_erasure_requests (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    requested_by text NOT NULL,
    reason text,
    requested_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    address_hash bytea,
    completed_at timestamptz(3),
    services jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT payer_erasure_requests_hash_check CHECK (((address_hash IS NULL) = (completed_at IS NOT NULL))),
    CONSTRAINT payer_erasure_requests_pkey PRIMARY KEY (id)
);

CREATE INDEX payer_erasure_requests_incomplete_idx ON payer_erasure_requests (requested_at) WHERE (completed_at IS NULL);
CREATE INDEX payer_erasure_requests_requested_at_idx ON payer_erasure_requests (requested_at);
CREATE INDEX payer_erasure_requests_tenant_id_id_idx ON payer_erasure_requests (tenant_id, id);
ALTER TABLE payer_erasure_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE payer_erasure_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON payer_erasure_requests USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE template_versions (
    template_id uuid NOT NULL,
    version integer NOT NULL,
    tenant_id uuid NOT NULL,
    name text NOT NULL,
    subject text,
    text text NOT NULL,
    html text,
    variables jsonb NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    locale text,
    CONSTRAINT template_versions_pkey PRIMARY KEY (template_id, version)
);

ALTER TABLE template_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE template_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON template_versions USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE templates (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_unit_id uuid,
    communication_type "CommunicationType" NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    subject text,
    text text NOT NULL,
    html text,
    variables jsonb NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    deleted_at timestamptz(3),
    locale text,
    translates boolean DEFAULT true NOT NULL,
    CONSTRAINT templates_channel_check CHECK (
CASE communication_type
    WHEN 'EMAIL'::"CommunicationType" THEN (subject IS NOT NULL)
    ELSE ((subject IS NULL) AND (html IS NULL))
END),
    CONSTRAINT templates_variables_check CHECK ((jsonb_typeof(variables) = 'array'::text)),
    CONSTRAINT templates_version_check CHECK ((version >= 1)),
    CONSTRAINT templates_pkey PRIMARY KEY (id)
);

CREATE INDEX templates_tenant_id_id_idx ON templates (tenant_id, id);
-- The translations of a template, which each message with a template reads.
CREATE INDEX templates_tenant_id_name_idx ON templates (tenant_id, name) WHERE (deleted_at IS NULL);
ALTER TABLE templates ENABLE ROW LEVEL SECURITY;
ALTER TABLE templates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON templates USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE user_invitation_mails (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    recipient text NOT NULL,
    trace_id uuid NOT NULL,
    status "CommunicationStatus" DEFAULT 'queued'::"CommunicationStatus" NOT NULL,
    provider text NOT NULL,
    provider_message_id text,
    error jsonb,
    content jsonb,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamptz(3),
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    ended_at timestamptz(3),
    CONSTRAINT user_invitation_mails_ended_check CHECK (((status = 'queued'::"CommunicationStatus") = (ended_at IS NULL))),
    CONSTRAINT user_invitation_mails_failed_check CHECK (((status = 'failed'::"CommunicationStatus") = (error IS NOT NULL))),
    CONSTRAINT user_invitation_mails_provider_check CHECK ((provider = ANY (ARRAY['outbox'::text, 'smtp'::text, 'http'::text]))),
    CONSTRAINT user_invitation_mails_queued_check CHECK ((((status = 'queued'::"CommunicationStatus") = (due_at IS NOT NULL)) AND ((status = 'queued'::"CommunicationStatus") = (content IS NOT NULL)))),
    CONSTRAINT user_invitation_mails_pkey PRIMARY KEY (id)
);

CREATE INDEX user_invitation_mails_ended_at_idx ON user_invitation_mails (ended_at);
-- The mails of a person, of all tenants, for an erasure.
CREATE INDEX user_invitation_mails_recipient_idx ON user_invitation_mails (lower(recipient));
-- The next due mails of each tenant, which the delivery loop claims in turn.
CREATE INDEX user_invitation_mails_tenant_id_due_at_idx ON user_invitation_mails (tenant_id, due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE user_invitation_mails ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_invitation_mails FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON user_invitation_mails USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

ALTER TABLE template_versions ADD CONSTRAINT template_versions_template_id_fkey FOREIGN KEY (template_id) REFERENCES templates(id) ON UPDATE CASCADE ON DELETE RESTRICT;
