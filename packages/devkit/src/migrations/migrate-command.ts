/** The command line of scripts/platform/migrate.mjs. */
import { basename } from 'node:path'
import { profile } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'
import { asOwner } from '../processes/ownership.ts'
import { databaseName, ensureDatabases, requireService, type Service, services, urlAs } from '../servers/databases.ts'
import { provisioning } from '../servers/provision.ts'
import { serverUrl } from '../servers/server-url.ts'
import { deploy, locateMigrations, status } from './migrate.ts'
import { create, drift } from './schema-changes.ts'

const usage =
  'Usage: node scripts/platform/migrate.mjs create services/<name> <label> | deploy|drift|status [services/<name>]'

/** Returns the exit code. */
export async function migrateCommand([command = '', target, label]: readonly string[]): Promise<number> {
  const chosen = target === undefined ? services : [requireService(basename(target))]
  const action = actions[command]
  if (action === undefined || (command === 'create' && (target === undefined || label === undefined)))
    throw new UserError(usage)
  return withAdmin(async (adminUrl) => {
    await ensureDatabases(adminUrl)
    let failures = 0
    for (const service of chosen) if (!(await action(service, adminUrl, label ?? ''))) failures++
    return failures === 0 ? 0 : 1
  })
}

/** Each prints its result and returns whether everything is in order. */
const actions: Readonly<Record<string, (service: Service, adminUrl: string, label: string) => Promise<boolean>>> = {
  async create(service, adminUrl, label) {
    const directory = await create(locateMigrations(service), label, adminUrl)
    console.log(
      directory === undefined
        ? `${service}: schema and migrations agree, nothing to write`
        : `${service}: wrote ${directory}`,
    )
    return true
  },
  async drift(service, adminUrl) {
    const missing = await drift(locateMigrations(service), adminUrl)
    console.log(
      missing === undefined ? `${service}: schema and migrations agree` : `${service}: the migrations lack\n${missing}`,
    )
    return missing === undefined
  },
  async deploy(service, adminUrl) {
    const applied = await deploy(locateMigrations(service), ownerUrl(service, adminUrl))
    console.log(`${service}: ${applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`}`)
    return true
  },
  async status(service, adminUrl) {
    const { present, pending, failed, edited } = await status(locateMigrations(service), ownerUrl(service, adminUrl))
    const parts = { present, pending, failed, edited }
    console.log(
      `${service}: ${Object.entries(parts)
        .map(([name, list]) => `${list.length} ${name}`)
        .join(', ')}`,
    )
    for (const name of [...pending, ...failed, ...edited]) console.log(`  ${name}`)
    return failed.length === 0 && edited.length === 0
  },
}

const ownerUrl = (service: Service, adminUrl: string) => urlAs(adminUrl, 'payments_owner', databaseName(service))

async function withAdmin(use: (adminUrl: string) => Promise<number>): Promise<number> {
  const given = serverUrl(process.env, 'DATABASE_URL') || process.env['TEST_DATABASE_URL']
  if (given) return use(given)
  const own = profile('dev')
  return asOwner(own, 'node scripts/platform/migrate.mjs', async (group) => {
    const { url } = await provisioning(own, group).postgres(console.log)
    return use(url)
  })
}
