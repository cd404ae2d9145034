import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { directoryWith, searchPath, versionedDirectories } from '@payments/devkit/machine/machine'
import { root } from '@payments/devkit/machine/profile'
import { rolePassword } from '@payments/devkit/machine/secrets'
import { createDatabase, type Service, services, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import type { PrivateDatabase } from '@payments/testing/database/database'

/** The commands of docs/backup.md, on the databases of a test. */
const programs = directoryWith(
  ['psql', 'pg_dump', 'pg_restore'],
  [...searchPath(), ...versionedDirectories('/usr/lib/postgresql', 'bin')],
)
const adminUrl = testAddress('TEST_DATABASE_URL')
const document = readFileSync(join(root, 'docs', 'backup.md'), 'utf8')

/** The blocks of shell commands of a section of the document, in order. */
function readCommands(section: string): string[] {
  const [, text = ''] = new RegExp(`^## ${section}$(.*?)(?=^## )`, 'ms').exec(document) ?? []
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block]) => block ?? '')
}

const [settings = '', grants = '', dump = ''] = readCommands('Back up with pg_dump')
const [restore = '', incarnation = '', disable = '', endSessions = ''] = readCommands('Restore')

export const blocks = { grants, dump, restore, incarnation, disable, endSessions }

/** The order of the document. */
export const order = [...(/DATABASES="([^"]*)"/.exec(settings)?.[1] ?? '').matchAll(/payments_(\w+)/g)].map(
  ([, name = '']) => name.replaceAll('_', '-') as Service,
)

type Role = 'payments_owner' | 'payments_backup'
type Databases = Readonly<Record<Service, Pick<PrivateDatabase, 'url' | 'ownerUrl'>>>

const readName = ({ url }: Pick<PrivateDatabase, 'url'>) => new URL(url).pathname.slice(1)
const derivePassword = (role: Role) => rolePassword(adminUrl, role)

export interface Shell {
  /** Runs a block as a role of PostgreSQL; without a role as the administrator. */
  readonly run: (block: string, of: readonly Service[], role?: Role) => Promise<void>
}

/** `directory`: of the backup. `revokedKeys`: ids. */
export function shellFor(databases: Databases, directory: string, revokedKeys: () => string = () => ''): Shell {
  if (programs === undefined) throw new Error('psql, pg_dump and pg_restore are missing: apt-get install postgresql')
  const { hostname, port, username, password } = new URL(adminUrl)
  const joinNames = (names: readonly Service[]) => names.map((service) => readName(databases[service])).join(' ')
  return {
    run: async (block, of, role) => {
      const env = {
        PATH: `${programs}:${process.env['PATH']}`,
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: role ?? username,
        PGPASSWORD: role === undefined ? decodeURIComponent(password) : derivePassword(role),
        PGCONNECT_TIMEOUT: '30',
        BACKUP: directory,
        DATABASES: joinNames(of),
        AUTHORIZATION_DATABASES: joinNames(['api-key', 'rbac', 'identity']),
        API_KEY_DATABASE: joinNames(['api-key']),
        IDENTITY_DATABASE: joinNames(['identity']),
        REVOKED_KEYS: revokedKeys(),
      }
      await promisify(execFile)('sh', ['-uc', block], { env, timeout: 180_000 })
    },
  }
}

/** Creates the role with the statement of the document. The role stays with the server, for all tests. */
export async function createBackupRole(): Promise<void> {
  const statement = /^CREATE ROLE payments_backup .*BYPASSRLS IN ROLE pg_read_all_data;$/m.exec(document)?.[0]
  if (statement === undefined) throw new Error('docs/backup.md does not create payments_backup')
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'payments_backup'`)
    const password = `'${derivePassword('payments_backup')}'`
    if (rowCount === 0) await client.query(statement.replace("'…'", password))
    else await client.query(`ALTER ROLE payments_backup PASSWORD ${password}`)
  })
}

/** Replaces every database by an empty one of the same name. */
export async function loseAll(databases: Readonly<Record<Service, PrivateDatabase>>): Promise<void> {
  for (const service of services) await databases[service].drop()
  await withClient(adminUrl, async (client) => {
    for (const service of services) await createDatabase(client, adminUrl, service, readName(databases[service]))
  })
}

/** Of the authorization versions of api-key and rbac. */
export function readIncarnations(databases: Databases): Promise<string[]> {
  return Promise.all(
    (['api-key', 'rbac', 'identity'] as const).map((service) =>
      withClient(databases[service].ownerUrl, async (owner) => {
        await owner.query(`SET app.tenant_id = '*'`)
        const { rows } = await owner.query<{ incarnation: string }>('SELECT incarnation FROM authz_epoch')
        return rows[0]?.incarnation ?? 'none'
      }),
    ),
  )
}
