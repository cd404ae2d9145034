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

/** A key after a rotation with a grace period: its former and its present value, both remembered. */
async function rotated(graceSeconds: number) {
  const former = await tenant.keyWith(['apikey:ReadKey'])
  const rotate = async (seconds: number) =>
    world.send('post', `${path}/${former.id}/rotate`, tenant.admin).send({ grace_period_seconds: seconds }).expect(200)
  expect(await use(former)).toBe(200)
  const { body } = await rotate(graceSeconds)
  const present = { ...former, bearer: body.value as string }
  for (let i = 0; i < 3; i += 1) expect([await use(former), await use(present)]).toEqual([200, 200])
  return { former, present, rotate }
}

describe('the former value of a rotated key', () => {
  test('is refused from the instant on at which its grace ends, though it was remembered; the present one goes on', async () => {
    const { former, present } = await rotated(60)
    const now = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(now + 61_000)
    expect([await use(former), await use(present)]).toEqual([401, 200])
  })

  test('is refused by the very next request once another rotation has ended its grace', async () => {
    const { former, present, rotate } = await rotated(3_600)
    await rotate(0)
    expect([await use(former), await use(present)]).toEqual([401, 401])
  })

  test('has what the key has: disabled, both are refused by the very next request', async () => {
    const { former, present } = await rotated(3_600)
    await world.send('patch', `${path}/${former.id}`, tenant.admin).send({ enabled: false }).expect(200)
    expect([await use(former), await use(present)]).toEqual([401, 401])
  })
})
