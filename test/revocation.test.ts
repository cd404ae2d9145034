import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { type TcpProxy, tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { createTally, everyMethod, everyPersonMethod, revokeOne } from '../bench/revocation/load.ts'
import { during, openWorld, type World } from './revocation/world.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential: two gateways, each with its own
 * replica of api-key, under the load of `npm run bench revocation`, while the broker is away and processes are paused.
 * revocation-without-servers.test.ts kills the servers.
 */
let proxy: TcpProxy
let world: World

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  proxy = await tcpProxy(port)
  world = await openWorld({ amqpUrl: proxy.url })
}, 300_000)

afterAll(async () => {
  await world?.stop()
  await proxy?.cut()
}, 120_000)

test('no revoked credential is accepted after the response, for every kind of revocation', async () => {
  const tally = await world.run()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length, 0])
}, 120_000)

test('no cookie and no JWT of a session is accepted after the response, for every way to take access from a person', async () => {
  const tally = await world.runPeople()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyPersonMethod.length, 0])
}, 120_000)

test('no cookie and no JWT of a session is accepted after the response without RabbitMQ', async () => {
  await proxy.cut()
  const tally = await world.runPeople()
  await proxy.restore()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyPersonMethod.length, 0])
}, 120_000)

test('no revoked credential is accepted after the response without RabbitMQ, and no valid one is rejected', async () => {
  await proxy.cut()
  const tally = await world.run()
  await proxy.restore()
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([everyMethod.length, 0])
}, 120_000)

test('no revoked credential is accepted after the response while a gateway and an api-key are paused at random', async () => {
  const pause = async () => {
    for (const [stack, name] of [
      [world.secondGateway.replica, 'gateway'],
      [world.platform, 'api-key'],
    ] as const) {
      await delay(150 * Math.random())
      await stack.kill(name, 'SIGSTOP')
      await delay(200)
      await stack.kill(name, 'SIGCONT')
    }
  }
  const tally = await during(world.run(), pause)
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(everyMethod.length)
}, 120_000)

test('no key and no token of a tenant is accepted after the response to its suspension', async () => {
  const { platform, gateways, tenants, died } = world
  const viewerToken = async (id: string) =>
    (await platform.payctl('token', '--tenant', id, '--role', 'viewer')).stdout.trim()
  const tally = createTally()
  const suspend = async ({ id, bearer }: World['tenants'][number], number: number) => {
    const credential = number === 0 ? { bearer: await viewerToken(id) } : { bearer, tenantId: id }
    const revokeTenant = async () => {
      const sentAt = performance.now()
      const { code, output } = await platform.payctl('tenant', 'suspend', id)
      if (code !== 0) throw new Error(output)
      return { sentAt, respondedAt: performance.now() }
    }
    await revokeOne(gateways, { credentials: [credential], revoke: revokeTenant, method: 'suspend' }, tally)
  }
  await Promise.race([Promise.all(tenants.map(suspend)), died])
  expect(tally.acceptedAfter).toEqual([])
  expect(tally.revocations).toBe(tenants.length)
}, 120_000)
