-- Row-level security of the outbox. The relay reads the events of all tenants with app.tenant_id = '*'.
CREATE POLICY "tenant_isolation" ON "outbox_events" USING (current_setting('app.tenant_id', true) IN ('*', "tenant_id"::text));

-- The relay of the previous release reads without a tenant. In an outbox that has had events, an operator enables the
-- policy after the upgrade (docs/operating.md).
DO $$
BEGIN
  IF NOT (SELECT is_called FROM "outbox_events_sequence_seq") THEN
    ALTER TABLE "outbox_events" ENABLE ROW LEVEL SECURITY;
    ALTER TABLE "outbox_events" FORCE ROW LEVEL SECURITY;
  END IF;
END $$;
