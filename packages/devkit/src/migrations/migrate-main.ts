/** The migration Job of a rollout: applies one service's migrations to the database in DATABASE_URL, as its owner. */

import { UserError } from '../machine/user-error.ts'
import { requireService } from '../servers/databases.ts'
import { serverUrl } from '../servers/server-url.ts'
import { deploy, locateMigrations } from './migrate.ts'

try {
  const [service = ''] = process.argv.slice(2)
  const databaseUrl = serverUrl(process.env, 'DATABASE_URL')
  if (databaseUrl === undefined) throw new UserError('DATABASE_URL is not set: the database to migrate, as its owner.')
  const applied = await deploy(locateMigrations(requireService(service)), databaseUrl)
  console.log(`${service}: ${applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`}`)
  process.exit(0)
} catch (error) {
  console.error(error instanceof UserError ? error.message : error)
  process.exit(1)
}
