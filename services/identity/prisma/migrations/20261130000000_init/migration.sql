-- The policy of each table: a transaction sees the rows of the tenant that it names in app.tenant_id; with *, all.

CREATE TYPE "SessionEndReason" AS ENUM (
    'idle',
    'expired',
    'ended_by_user',
    'ended_by_administrator',
    'ended_by_operator',
    'ended_by_provider',
    'user_disabled',
    'user_removed',
    'too_many_sessions'
);

CREATE TYPE "SessionKind" AS ENUM (
    'browser',
    'cli'
);

CREATE TYPE "SignInPurpose" AS ENUM (
    'sign_in',
    'step_up',
    'accept'
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

CREATE TABLE ended_sessions (
    pepper_kid text NOT NULL,
    index_hmac bytea NOT NULL,
    tenant_id uuid NOT NULL,
    reason "SessionEndReason" NOT NULL,
    ended_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT ended_sessions_pkey PRIMARY KEY (pepper_kid, index_hmac)
);

CREATE INDEX ended_sessions_ended_at_idx ON ended_sessions (ended_at);
ALTER TABLE ended_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE ended_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON ended_sessions USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE memberships (
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role_ids uuid[] DEFAULT ARRAY[]::uuid[],
    enabled boolean DEFAULT true NOT NULL,
    provider_id text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    created_by text NOT NULL,
    last_signed_in_at timestamptz(3),
    sessions_ended_at timestamptz(3),
    CONSTRAINT memberships_pkey PRIMARY KEY (tenant_id, user_id)
);

CREATE INDEX memberships_role_ids_idx ON memberships USING gin (role_ids);
CREATE INDEX memberships_user_id_idx ON memberships (user_id);
ALTER TABLE memberships ENABLE ROW LEVEL SECURITY;
ALTER TABLE memberships FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON memberships USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

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

CREATE TABLE sessions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    kind "SessionKind" NOT NULL,
    pepper_kid text NOT NULL,
    index_hmac bytea NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    authenticated_at timestamptz(3) NOT NULL,
    last_seen_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    ip text NOT NULL,
    user_agent text,
    provider_id text NOT NULL,
    issuer text NOT NULL,
    subject text NOT NULL,
    provider_session_id text,
    CONSTRAINT sessions_pkey PRIMARY KEY (id)
);

CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
CREATE INDEX sessions_issuer_subject_idx ON sessions (issuer, subject);
CREATE UNIQUE INDEX sessions_pepper_kid_index_hmac_key ON sessions (pepper_kid, index_hmac);
CREATE INDEX sessions_tenant_id_user_id_id_idx ON sessions (tenant_id, user_id, id);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON sessions USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

-- Sign-ins are found by secrets, before a tenant is known.
CREATE TABLE sign_ins (
    id uuid NOT NULL,
    purpose "SignInPurpose" NOT NULL,
    browser_hash bytea NOT NULL,
    state_hash bytea,
    provider_id text,
    nonce text,
    verifier_encrypted bytea,
    return_to text,
    invitation_id uuid,
    replaced_session_id uuid,
    address text NOT NULL,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    person_encrypted bytea,
    session_id uuid,
    page_tenant_id uuid,
    used_state_hash bytea,
    CONSTRAINT sign_ins_pkey PRIMARY KEY (id)
);

CREATE INDEX sign_ins_address_idx ON sign_ins (address);
CREATE INDEX sign_ins_browser_hash_idx ON sign_ins (browser_hash);
CREATE INDEX sign_ins_expires_at_idx ON sign_ins (expires_at);
CREATE INDEX sign_ins_replaced_session_id_idx ON sign_ins (replaced_session_id);
CREATE INDEX sign_ins_session_id_idx ON sign_ins (session_id);
CREATE UNIQUE INDEX sign_ins_state_hash_key ON sign_ins (state_hash);
CREATE UNIQUE INDEX sign_ins_used_state_hash_key ON sign_ins (used_state_hash);
ALTER TABLE sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_ins FORCE ROW LEVEL SECURITY;
CREATE POLICY all_tenants ON sign_ins USING ((current_setting('app.tenant_id'::text, true) = '*'::text));

CREATE TABLE user_invitations (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    email text,
    email_key text,
    role_ids uuid[] DEFAULT ARRAY[]::uuid[],
    token_hash bytea NOT NULL,
    token_encrypted bytea,
    expires_at timestamptz(3) NOT NULL,
    accepted_at timestamptz(3),
    canceled_at timestamptz(3),
    user_id uuid,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    created_by text NOT NULL,
    trace_id uuid NOT NULL,
    resend_count integer DEFAULT 0 NOT NULL,
    last_sent_at timestamptz(3),
    message_id uuid NOT NULL,
    mail_due_at timestamptz(3),
    mail_attempts integer DEFAULT 0 NOT NULL,
    is_declined boolean DEFAULT false NOT NULL,
    locale text,
    CONSTRAINT user_invitations_pkey PRIMARY KEY (id)
);

CREATE INDEX user_invitations_email_key_idx ON user_invitations (email_key);
-- The open invitations for an email address, of any tenant: a sign-in looks for them.
CREATE INDEX user_invitations_open_email_key_idx ON user_invitations (email_key) WHERE (token_encrypted IS NOT NULL);
-- One open invitation of a tenant for an email address.
CREATE UNIQUE INDEX user_invitations_open_idx ON user_invitations (tenant_id, email_key) WHERE (token_encrypted IS NOT NULL);
CREATE INDEX user_invitations_tenant_id_id_idx ON user_invitations (tenant_id, id);
-- The next due mails of each tenant, which the mail loop claims in turn.
CREATE INDEX user_invitations_tenant_id_mail_due_at_idx ON user_invitations (tenant_id, mail_due_at) WHERE (mail_due_at IS NOT NULL);
CREATE UNIQUE INDEX user_invitations_token_hash_key ON user_invitations (token_hash);
ALTER TABLE user_invitations ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_invitations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON user_invitations USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));

CREATE TABLE user_subjects (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL,
    CONSTRAINT user_subjects_pkey PRIMARY KEY (issuer, subject)
);

CREATE INDEX user_subjects_user_id_idx ON user_subjects (user_id);
ALTER TABLE user_subjects ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_subjects FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON user_subjects USING (((current_setting('app.tenant_id'::text, true) = '*'::text) OR (EXISTS ( SELECT FROM memberships m WHERE (m.user_id = user_subjects.user_id)))));

-- A person belongs to no tenant. A tenant sees the persons who are its users; the policy of memberships applies within.
CREATE TABLE users (
    id uuid NOT NULL,
    email text,
    name text,
    created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
    unused_since timestamptz(3),
    CONSTRAINT users_pkey PRIMARY KEY (id)
);

CREATE INDEX users_unused_since_idx ON users (unused_since);
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON users USING (((current_setting('app.tenant_id'::text, true) = '*'::text) OR (EXISTS ( SELECT FROM memberships m WHERE (m.user_id = users.id)))));

ALTER TABLE memberships ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE sessions ADD CONSTRAINT sessions_tenant_id_user_id_fkey FOREIGN KEY (tenant_id, user_id) REFERENCES memberships(tenant_id, user_id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE user_subjects ADD CONSTRAINT user_subjects_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON UPDATE CASCADE ON DELETE CASCADE;

INSERT INTO authz_epoch (id) VALUES (1);
