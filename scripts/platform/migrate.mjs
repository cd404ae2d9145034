/**
 * Migrations of one service, or of all when none is named. The work lives in packages/devkit.
 *
 *   node scripts/platform/migrate.mjs create services/rbac add-tenants     writes what leads to schema.prisma
 * node scripts/platform/migrate.mjs drift [services/rbac]                fails when schema.prisma and the migrations
 * disagree
 *   node scripts/platform/migrate.mjs deploy|status [services/rbac]
 *
 * Servers: DATABASE_URL (an administrator) where it is set; otherwise the servers of the profile `dev`, started for the
 * purpose.
 */
import { bootstrap, run } from '../bootstrap.mjs'

await run(async () => {
  await bootstrap({ only: 'packages/devkit' })
  const { migrateCommand } = await import('../../packages/devkit/dist/migrations/migrate-command.js')
  return migrateCommand(process.argv.slice(2))
})
