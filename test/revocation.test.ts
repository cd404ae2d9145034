import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Replica, startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { type OwnServer, type PrivateServers, privateServers } from '@payments/testing/platform/servers'
import { createTally, everyMethod, revoke, revokeOne } from '../bench/revocation/load.ts'
import { type Call, send } from '../bench/revocation/request.ts'
import { callerOf, onboard } from './tenant.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential: two gateways, each with its own
 * replica of api-key, under the load of `npm run bench revocation`, while servers are killed and processes are paused.
 */
const tenantsTotal = 3

/** Undefined where the servers run in containers, and must not be killed. */
let servers: PrivateServers | undefined
let platform: TestStack
let secondApiKey: Replica
let secondGateway: Replica
let gateways: string[]
let tenants: Awaited<ReturnType<typeof revocationTenant>>[]

async function revocationTenant(number: number) {
  const { tenant_id: id, roles, api_key: key } = await onboard(platform, `Tenant ${number}`)
  const viewerRole = String(roles.find(({ name }) => name === 'viewer')?.id)
  const tokenRole = 'temporary'
  // Tokens are issued for roles that exist; each revocation creates the role again and deletes it.
  const call = callerOf(platform, key.value, id)
  const { body: role } = await call('POST', '/v1/rbac/roles', { name: tokenRole, permissions: [] })
  const { stdout } = await platform.payctl('token', '--tenant', id, '--role', tokenRole)
  await call('DELETE', `/v1/rbac/roles/${role.id}`)
  const homeUrl = String(gateways[number % gateways.length])
  return { id, bearer: key.value, homeUrl, viewerRole, token: stdout.trim(), tokenRole }
}

async function viewerToken(id: string): Promise<string> {
  return (await platform.payctl('token', '--tenant', id, '--role', 'viewer')).stdout.trim()
}

beforeAll(async () => {
  servers = await privateServers()
  const unlimited = '1000000'
  platform = await startTestStack({
    ...(servers === undefined ? {} : { servers }),
    without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'audit'],
    env: {
      REQUESTS_PER_SECOND_PER_KEY: unlimited,
      REQUEST_BURST_PER_KEY: unlimited,
      REQUESTS_PER_SECOND_PER_TENANT: unlimited,
      REQUEST_BURST_PER_TENANT: unlimited,
    },
  })
  secondApiKey = await platform.addApiKey()
  secondGateway = await platform.addGateway({ API_KEY_URL: secondApiKey.url })
  gateways = [platform.gatewayUrl, secondGateway.url]
  tenants = await Promise.all(Array.from({ length: tenantsTotal }, (_, number) => revocationTenant(number)))
}, 300_000)

afterAll(async () => {
  await platform?.stop()
  await servers?.stop()
}, 120_000)

const died = () => [platform.died, secondApiKey.replica.died, secondGateway.replica.died]

/**
 * Runs every kind of revocation `times` times. A process that ends by itself fails the test with the end of its log.
 */
const run = (times = 1) =>
  Promise.race([revoke({ gateways, tenants, count: everyMethod.length * times, pauseMs: 10 }), ...died()])

/** Calls `disturb` again and again until `work` is over; at least once. */
async function during<T>(work: Promise<T>, disturb: () => Promise<void>): Promise<T> {
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

/** Sends a GET until its response has the status. The deadline of the test limits it. */
const getUntil = async (url: string, call: Call, status: number) => {
  while ((await send(url, call)).status !== status) await delay(25)
}

/**
 * Ends and starts a server, waits until every gateway serves again, and leaves the platform in peace for a second.
 * `whileAway` is the status of a request with a valid key that arrives without the server.
 */
const restart = async (server: OwnServer, signal: NodeJS.Signals, whileAway: 200 | 503) => {
  const [tenant] = tenants
  const call = { path: '/v1/api-key/keys?limit=1', bearer: String(tenant?.bearer), tenantId: tenant?.id }
  await server.end(signal)
  await Promise.all(gateways.map((url) => getUntil(url, call, whileAway)))
  await server.start()
  await Promise.all(gateways.map((url) => getUntil(url, call, 200)))
  await delay(1_000)
}

test('no revoked credential is accepted after the response, for every kind of revocation', async () => {
  const tally = await run(2)
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length * 2, 0])
}, 120_000)

test('no revoked credential is accepted after the response while RabbitMQ is killed, and no valid one is rejected', async () => {
  const rabbitmq = servers?.rabbitmq
  if (rabbitmq === undefined) return
  const tally = await during(run(2), () => restart(rabbitmq, 'SIGKILL', 200))
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length * 2, 0])
}, 240_000)

test('no revoked credential is accepted after the response while PostgreSQL restarts', async () => {
  const postgres = servers?.postgres
  if (postgres === undefined) return
  const tally = await during(run(), () => restart(postgres, 'SIGINT', 503))
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
}, 240_000)

test('no revoked credential is accepted after the response while a gateway and an api-key are paused at random', async () => {
  const pause = async () => {
    for (const [stack, name] of [
      [secondGateway.replica, 'gateway'],
      [platform, 'api-key'],
    ] as const) {
      await delay(150 * Math.random())
      await stack.kill(name, 'SIGSTOP')
      await delay(200)
      await stack.kill(name, 'SIGCONT')
    }
  }
  const tally = await during(run(2), pause)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length * 2)
}, 120_000)

test('no key and no token of a tenant is accepted after the response to its suspension', async () => {
  const tally = createTally()
  const suspend = async ({ id, bearer }: (typeof tenants)[number], number: number) => {
    const credential = number === 0 ? { bearer: await viewerToken(id) } : { bearer, tenantId: id }
    const revokeTenant = async () => {
      const sentAt = performance.now()
      const { code, output } = await platform.payctl('tenant', 'suspend', id)
      if (code !== 0) throw new Error(output)
      return { sentAt, respondedAt: performance.now() }
    }
    await revokeOne(gateways, { credential, revoke: revokeTenant, method: 'suspend' }, tally)
  }
  await Promise.race([Promise.all(tenants.map(suspend)), ...died()])
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(tenantsTotal)
}, 120_000)
