-- The dispatcher deletes subscriptions that were deleted earlier too, over a day. Row-level security hides every row
-- without a tenant.
SELECT set_config('app.tenant_id', '*', true);
INSERT INTO "subscription_discards" ("id", "tenant_id", "due_at")
SELECT "id", "tenant_id", date_trunc('milliseconds', now() + random() * interval '1 day') FROM "subscriptions"
WHERE "deleted_at" IS NOT NULL
ON CONFLICT DO NOTHING;
