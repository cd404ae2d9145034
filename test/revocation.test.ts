import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { withClient } from '@payments/devkit/databases'
import type { LocalStack } from '@payments/devkit/local-stack'
import { freePorts } from '@payments/devkit/ports'
import { testAddress } from '@payments/devkit/test-address'
import { startTestStack, type TestStack } from '@payments/testing/local-stack'
import { type TcpProxy, tcpProxy } from '@payments/testing/tcp-proxy'
import { createTally, everyMethod, revoke, revokeOne } from '../bench/revocation-load.ts'
import { callerOf, onboard } from './tenant.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential: two replicas, under load, with other
 * faults.
 */
const tenantsTotal = 3

let way: TcpProxy
let platform: TestStack
let second: LocalStack
let gateways: string[]
let tenants: Awaited<ReturnType<typeof revocationTenant>>[]

async function revocationTenant(number: number) {
  const { tenant_id: id, roles, api_key: key } = await onboard(platform, `Tenant ${number}`)
  const viewerRole = String(roles.find(({ name }) => name === 'viewer')?.id)
  const tokenRole = 'temporary'
  // Tokens are issued for roles that exist; each revocation makes the role again and deletes it.
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
  const [port] = await freePorts(1)
  way = await tcpProxy(Number(port))
  const unlimited = '1000000'
  platform = await startTestStack({
    amqpUrl: way.url,
    without: ['webhooks', 'webhooks-dispatcher', 'payment-proxy', 'audit'],
    env: {
      REQUESTS_PER_SECOND_PER_KEY: unlimited,
      REQUEST_BURST_PER_KEY: unlimited,
      REQUESTS_PER_SECOND_PER_TENANT: unlimited,
      REQUEST_BURST_PER_TENANT: unlimited,
    },
  })
  const { url, replica } = await platform.addGateway()
  second = replica
  gateways = [platform.gatewayUrl, url]
  tenants = await Promise.all(Array.from({ length: tenantsTotal }, (_, number) => revocationTenant(number)))
}, 120_000)

afterAll(async () => {
  await platform.stop()
  await way.cut()
}, 120_000)

/**
 * Runs every kind of revocation `times` times. A process that ends by itself fails the test with the end of its log.
 */
const run = (times = 1) =>
  Promise.race([
    revoke({ gateways, tenants, count: everyMethod.length * times, pauseMs: 10 }),
    platform.died,
    second.died,
  ])

/** Does `disturb` again and again until `work` is over; at least once. */
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

test('no revoked credential is accepted after the response, for every kind of revocation', async () => {
  const tally = await run(2)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length * 2)
}, 120_000)

test('no revoked credential is accepted after the response while RabbitMQ is down, and no valid one is rejected', async () => {
  await way.cut()
  const tally = await run()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length, 0])
  await way.restore()
}, 120_000)

test('no revoked credential is accepted after the response while sessions of the api-key database are cut', async () => {
  const database = new URL(platform.databases['api-key'].url).pathname.slice(1)
  let cut = 0
  const terminate = async () => {
    await withClient(testAddress('TEST_DATABASE_URL'), async (admin) => {
      const { rowCount } = await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [database],
      )
      cut += rowCount ?? 0
    })
    await delay(400)
  }
  const tally = await during(run(), terminate)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
  expect(cut).toBeGreaterThan(0)
}, 120_000)

test('no revoked credential is accepted after the response while gateway and api-key are paused alternately', async () => {
  const pause = async () => {
    for (const [owner, name] of [
      [second, 'gateway'],
      [platform, 'api-key'],
    ] as const) {
      await owner.kill(name, 'SIGSTOP')
      await delay(150)
      await owner.kill(name, 'SIGCONT')
      await delay(150)
    }
  }
  const tally = await during(run(), pause)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
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
  await Promise.race([Promise.all(tenants.map(suspend)), platform.died, second.died])
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(tenantsTotal)
}, 120_000)
