import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTally, everyMethod, everyPersonMethod, revokeOne } from '../bench/revocation/load.ts'
import { openWorld, type World } from './revocation/world.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential: two gateways, each with its own
 * replica of api-key, under the load of `npm run bench revocation`. revocation-disturbed.test.ts takes the broker away
 * and pauses processes, revocation-without-servers.test.ts kills the servers.
 */
let world: World

beforeAll(async () => {
  world = await openWorld()
}, 300_000)

afterAll(() => world?.stop(), 120_000)

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
