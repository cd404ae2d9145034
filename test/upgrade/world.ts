import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/devkit/machine/profile'
import { loadSecrets } from '@payments/devkit/machine/secrets'
import { type LocalStackOptions, processPlans } from '@payments/devkit/platform/process-plan'
import { runToEnd } from '@payments/devkit/processes/process-group'
import { buildAmqpUrls } from '@payments/devkit/servers/broker-users'
import { type Service, services, toAdminUrl } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { privateBroker } from '@payments/testing/broker/broker'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import { type Ledger, openLedger } from '../faults/runner/ledger.ts'
import { type Endpoint, openEndpoint } from '../faults/webhooks/endpoint.ts'
import type { Onboarded } from '../tenant.ts'
import { type Fleet, type Installed, openFleet } from './fleet.ts'
import { migrationsIn } from './migrations.ts'
import { buildRelease, readPlans } from './previous-release.ts'

/** Two releases on the same databases, and a receiver of webhooks. */
export interface World {
  readonly previous: Installed
  readonly current: Installed
  readonly fleet: Fleet
  readonly databases: Readonly<Record<Service, PrivateDatabase>>
  readonly endpoint: Endpoint
  readonly ledger: Ledger
  /** Creates a tenant with the payctl of the previous release. */
  readonly onboard: () => Promise<Onboarded>
  readonly logDirectory: string
  readonly stop: () => Promise<void>
}

/** Services whose events are counted. */
const outboxes = ['payment-proxy', 'business-unit', 'communication', 'api-key', 'rbac', 'webhooks'] as const
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG']
const payctlTimeoutMs = 120_000
/** As in production, other than in the local stack. */
const drainDelayMs = '5000'

/** `commit`: the previous release. */
export async function openWorld(commit: string): Promise<World> {
  const release = await buildRelease(commit)
  const parent = join(root, '.data', 'test')
  mkdirSync(parent, { recursive: true })
  const directory = mkdtempSync(join(parent, 'upgrade-'))
  const closing: (() => Promise<unknown> | void)[] = [() => rmSync(directory, { recursive: true, force: true })]
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }
  try {
    const databases = {} as Record<Service, PrivateDatabase>
    for (const service of services) {
      databases[service] = await privateDatabase(service, undefined, migrationsIn(release.directory, service))
      closing.push(databases[service].drop)
    }
    const endpoint = await openEndpoint()
    closing.push(endpoint.close)
    const fleet = await openFleet(directory)
    closing.push(fleet.stop)
    const options = await buildOptions(directory, fleet, databases)
    const plans = await readPlans(release, options)
    return {
      previous: { ...release, ...plans },
      current: { commit: 'current', directory: root, plans: processPlans(options), payctlEnv: {} },
      fleet,
      databases,
      endpoint,
      ledger: await openLedger(outboxes.map((service) => buildAdminUrl(databases[service]))),
      onboard: async () => {
        const args = [join(release.directory, 'packages/payctl/dist/main.js'), 'tenant', 'create', '--name', 'Acme']
        const env = { ...environment(), ...plans.payctlEnv }
        const made = await runToEnd(process.execPath, [...args, '--json', '--show-key'], {
          env,
          timeoutMs: payctlTimeoutMs,
        })
        if (made.code !== 0) throw new Error(made.output)
        return JSON.parse(made.stdout) as Onboarded
      },
      logDirectory: join(directory, 'logs'),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const environment = () => Object.fromEntries(inherited.map((name) => [name, process.env[name]]))

async function buildOptions(
  directory: string,
  { ports }: Fleet,
  databases: World['databases'],
): Promise<LocalStackOptions> {
  const { url: amqpUrl, prefix: messagingPrefix } = await privateBroker()
  const amqpUrls = buildAmqpUrls(amqpUrl)
  return {
    directory,
    secrets: loadSecrets(directory),
    ports,
    databaseUrls: Object.fromEntries(
      services.map((service) => [service, databases[service].url]),
    ) as LocalStackOptions['databaseUrls'],
    amqpUrls,
    messagingPrefix,
    // The development provider is no part of a release.
    overrides: { ...environment(), DRAIN_DELAY_MS: drainDelayMs, SIGN_IN_PROVIDERS: '[]' },
  }
}

const buildAdminUrl = ({ url }: PrivateDatabase) =>
  toAdminUrl(testAddress('TEST_DATABASE_URL'), new URL(url).pathname.slice(1))
