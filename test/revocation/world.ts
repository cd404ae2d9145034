import { setTimeout as delay } from 'node:timers/promises'
import {
  type Platform,
  type Replica,
  type Replicas,
  replicasBeside,
  startTestStack,
  type TestOptions,
  type TestStack,
} from '@payments/testing/platform/local-stack'
import { type Call, send } from '../../bench/load/request.ts'
import { everyMethod, everyPersonMethod, type RevocationRun, revoke } from '../../bench/revocation/load.ts'
import { createPeople } from '../../bench/revocation/person-methods.ts'
import { createCaller, onboard } from '../tenant.ts'

/** Two gateways, each with its own replica of api-key, and tenants with credentials to revoke. */
const tenantsTotal = 2
const unlimited = '1000000'
/** Between two requests of a user. A user of each gateway and of each of two credentials stays below the rates. */
export const pauseMs = 20

export interface World<P extends Platform = Platform> {
  readonly platform: P
  readonly secondGateway: Replica
  readonly gateways: readonly string[]
  readonly tenants: readonly Tenant[]
  /** Rejects when a process that the world started ends by itself. */
  readonly died: Promise<never>
  /** Runs every kind of revocation `times` times, under load. */
  readonly run: (times?: number) => ReturnType<typeof revoke>
  /** The same with every way to take access from a person. */
  readonly runPeople: (times?: number) => ReturnType<typeof revoke>
  /** Waits until every gateway responds with `status` to a request with a valid key. */
  readonly untilAll: (status: 200 | 503) => Promise<void>
  readonly stop: () => Promise<void>
}

/** On a platform of its own. */
export async function openWorld(options: Pick<TestOptions, 'servers' | 'amqpUrl'> = {}): Promise<World<TestStack>> {
  const platform = await startTestStack({
    ...options,
    without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'audit'],
    env: {
      REQUESTS_PER_SECOND_PER_KEY: unlimited,
      REQUEST_BURST_PER_KEY: unlimited,
      REQUESTS_PER_SECOND_PER_TENANT: unlimited,
      REQUEST_BURST_PER_TENANT: unlimited,
    },
  })
  return createWorld(platform, platform, [platform.died])
}

/** The second gateway and its replica of api-key are processes beside the platform. */
export const openWorldBeside = (platform: Platform): Promise<World> => createWorld(platform, replicasBeside(platform))

async function createWorld<P extends Platform>(
  platform: P,
  started: Replicas & { readonly stop: () => Promise<void> },
  ends: readonly Promise<never>[] = [],
): Promise<World<P>> {
  try {
    const secondApiKey = await started.addApiKey()
    const secondGateway = await started.addGateway({ API_KEY_URL: secondApiKey.url })
    const gateways = [platform.gatewayUrl, secondGateway.url]
    const numbers = Array.from({ length: tenantsTotal }, (_, number) => number)
    const tenants = await Promise.all(
      numbers.map((number) => newTenant(platform, number, String(gateways[number % gateways.length]))),
    )
    const died = Promise.race([...ends, secondApiKey.replica.died, secondGateway.replica.died])
    died.catch(() => {}) // a run races with it
    const [first] = tenants
    const start = (methods: NonNullable<RevocationRun['methods']>, times: number) =>
      Promise.race([revoke({ gateways, tenants, methods, count: methods.length * times, pauseMs }), died])
    const valid = { path: '/v1/api-key/keys?limit=1', bearer: String(first?.bearer), tenantId: first?.id }
    return {
      platform,
      secondGateway,
      gateways,
      tenants,
      died,
      run: (times = 1) => start(everyMethod, times),
      runPeople: (times = 1) => start(everyPersonMethod, times),
      untilAll: async (status) => void (await Promise.all(gateways.map((url) => getUntil(url, valid, status)))),
      stop: started.stop,
    }
  } catch (error) {
    await started.stop()
    throw error
  }
}

type Tenant = Awaited<ReturnType<typeof newTenant>>

async function newTenant(platform: Platform, number: number, homeUrl: string) {
  const { tenant_id: id, roles, api_key: key } = await onboard(platform, `Tenant ${number}`)
  const viewerRole = String(roles.find(({ name }) => name === 'viewer')?.id)
  const tokenRole = 'temporary'
  // Tokens are issued for roles that exist; each revocation creates the role again and deletes it.
  const call = createCaller(platform, key.value, id)
  const { body: role } = await call('POST', '/v1/rbac/roles', { name: tokenRole, permissions: [] })
  const { stdout } = await platform.payctl('token', '--tenant', id, '--role', tokenRole)
  await call('DELETE', `/v1/rbac/roles/${role.id}`)
  const people = createPeople(platform, id)
  return { id, bearer: key.value, homeUrl, viewerRole, token: stdout.trim(), tokenRole, people }
}

/** Sends a GET until its response has the status. The deadline of the test limits it. */
async function getUntil(url: string, call: Call, status: number): Promise<void> {
  while ((await send(url, call)).status !== status) await delay(25)
}

/** Calls `disturb` again and again until `work` is over; at least once. */
export async function during<T>(work: Promise<T>, disturb: () => Promise<void>): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const disturbing = (async () => {
    do await disturb()
    while (!isOver)
  })()
  const [result] = await Promise.all([over, disturbing])
  return result
}
