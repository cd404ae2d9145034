import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { type Credential, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())
afterEach(() => {
  jest.restoreAllMocks()
})

const path = '/v1/api-key/keys'
const use = async (credential: Credential) => (await world.send('get', path, credential)).status

/** A key after a rotation with a grace period: its previous and its current value, both cached. */
async function rotated(graceSeconds: number) {
  const previous = await tenant.keyWith(['apikey:ReadKey'])
  const rotate = async (seconds: number) =>
    world
      .send('post', `${path}/${previous.id}/rotate`, tenant.admin)
      .send({ grace_period_seconds: seconds })
      .expect(200)
  expect(await use(previous)).toBe(200)
  const { body } = await rotate(graceSeconds)
  const current = { ...previous, bearer: body.value as string }
  for (let i = 0; i < 3; i += 1) expect([await use(previous), await use(current)]).toEqual([200, 200])
  return { previous, current, rotate }
}

describe('the previous value of a rotated key', () => {
  test('is rejected from the end of its grace period on, although cached; the current value is accepted', async () => {
    const { previous, current } = await rotated(60)
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 61_000)
    expect([await use(previous), await use(current)]).toEqual([401, 200])
  })

  test('is rejected from the next request on after another rotation ends its grace period', async () => {
    const { previous, current, rotate } = await rotated(3_600)
    await rotate(0)
    expect([await use(previous), await use(current)]).toEqual([401, 401])
  })

  test('is rejected together with the current value from the next request on after the key is disabled', async () => {
    const { previous, current } = await rotated(3_600)
    await world.send('patch', `${path}/${previous.id}`, tenant.admin).send({ enabled: false }).expect(200)
    expect([await use(previous), await use(current)]).toEqual([401, 401])
  })
})
