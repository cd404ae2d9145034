-- A process of the previous version writes no key: its rows get one that collides with nothing.
-- AlterTable
ALTER TABLE "roles" ADD COLUMN     "name_key" TEXT NOT NULL DEFAULT (gen_random_uuid())::text;

-- The names that there are, folded as src/domain/role-name.ts does it, as far as this server can: by ICU where it was built with ICU,
-- else by the locale of the database. Where names of a tenant differ only in case or form, the built-in role has the key, else the
-- oldest; the others keep their names and get a key of their own behind U+001F, which stands in no name. Nothing is renamed.
DO $$
DECLARE
  folding text := CASE WHEN EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') THEN 'COLLATE "und-x-icu"' ELSE '' END;
BEGIN
  PERFORM set_config('app.tenant_id', '*', true);
  EXECUTE format($sql$
    WITH folded AS (
      SELECT id, tenant_id, kind, created_at, left(btrim(regexp_replace(
        normalize(lower(upper(lower(normalize(name, NFKC) %1$s) %1$s) %1$s), NFKC), '\s+', ' ', 'g')), 600) AS key
      FROM roles
    ), ranked AS (
      SELECT id, key, row_number() OVER (PARTITION BY tenant_id, key ORDER BY kind <> 'built_in', created_at, id) AS place
      FROM folded
    )
    UPDATE roles SET name_key = CASE WHEN place = 1 THEN key ELSE key || chr(31) || roles.id END
    FROM ranked WHERE ranked.id = roles.id
  $sql$, folding);
  PERFORM set_config('app.tenant_id', '', true);
END $$;

-- CreateIndex
CREATE UNIQUE INDEX "roles_tenant_id_name_key_key" ON "roles"("tenant_id", "name_key");
