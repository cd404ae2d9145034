import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { createTally, everyMethod, everyPersonMethod, revokeOne } from '../bench/revocation/load.ts'
import { createAdministrator, createRole } from '../bench/revocation/methods.ts'
import { openWorldBeside, pauseMs, type World } from './revocation/world.ts'

/**
 * After the response to a revocation, no gateway accepts the revoked credential: two gateways, each with its own
 * replica of api-key, under the load of `npm run bench revocation`. revocation-disturbed.test.ts takes the broker away
 * and pauses processes, revocation-without-servers.test.ts kills the servers.
 */
let world: World

beforeAll(async () => {
  world = await openWorldBeside(sharedPlatform())
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
  const { gateways, tenants, died } = world
  const tally = createTally()
  const suspend = async (tenant: World['tenants'][number]) => {
    const { id, bearer, token, tokenRole, people } = tenant
    await createRole(createAdministrator(tenant), tokenRole)
    const credentials = [{ bearer: token }, { bearer, tenantId: id }]
    await revokeOne(gateways, { credentials, revoke: people.suspend, method: 'suspend', pauseMs }, tally)
  }
  await Promise.race([Promise.all(tenants.map(suspend)), died])
  expect(tally.acceptedAfter).toEqual([])
  expect([tally.revocations, tally.unavailable]).toEqual([tenants.length, 0])
}, 120_000)
