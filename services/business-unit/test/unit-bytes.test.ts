import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, httpSecret, sandbox, startWorld, type TestUnit, type World } from './world.ts'

/** The payment orchestrators of a unit are bounded in bytes. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const settings = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, '字'.repeat(1_000)]))
const large = sandbox({ settings, gateway_url: `https://example.com/${'字'.repeat(2_000)}` })

/** Creates large payment orchestrators until one is rejected, which is the last reply. */
async function fill(of: TestUnit) {
  const replies = []
  while (replies.length < 30 && replies.at(-1)?.status !== 409) {
    replies.push(await of.tenant.post(of.orchestrators, large))
  }
  return { rejected: replies.pop()?.body, filled: replies.map(({ body }) => `${of.orchestrators}/${body.id}`) }
}

async function removeAll(of: TestUnit, paths: readonly string[]) {
  for (const path of paths) await of.tenant.delete(path).expect(204)
}

test('creations stop at 128 KiB, and the deletion of one permits another', async () => {
  const of = await world.unit()
  const { rejected, filled } = await fill(of)
  expect(rejected).toMatchObject({
    code: 'too_many_payment_orchestrators',
    detail: expect.stringContaining('128 KiB'),
  })
  await removeAll(of, filled.slice(0, 1))
  await created(of, large)
})

test('with deleted ones, creations stop at 256 KiB', async () => {
  const of = await world.unit()
  let last: { detail: string } | undefined
  for (let round = 0; round < 5 && last?.detail.includes('256 KiB') !== true; round += 1) {
    const { rejected, filled } = await fill(of)
    last = rejected
    await removeAll(of, filled)
  }
  expect(last).toMatchObject({ code: 'too_many_payment_orchestrators', detail: expect.stringContaining('256 KiB') })
})

test('above every bound, credentials, status, default and shorter texts change, and longer texts do not', async () => {
  const of = await world.unit()
  const main = await created(of, httpProvider())
  const second = await created(of, httpProvider({ name: 'Second bank' }))
  const [path, other] = [`${of.orchestrators}/${main.id}`, `${of.orchestrators}/${second.id}`]
  const deleted = await created(of, sandbox())
  await removeAll(of, [`${of.orchestrators}/${deleted.id}`])
  const sql = 'UPDATE payment_orchestrators SET name = $2 WHERE id = $1::uuid RETURNING id'
  await world.rows(sql, deleted.id, 'x'.repeat(330 * 1024))

  const longer = await of.tenant.patch(path, { name: 'A longer name of the bank' })
  expect(outcome(longer)).toEqual([409, 'too_many_payment_orchestrators'])
  expect(longer.body.detail).toContain('320 KiB')
  expect((await of.tenant.get(path)).body).toEqual(main)
  const gateway_authentication = { key_id: 'key-2', secret: `${httpSecret}-2` }
  const changes: [string, object][] = [
    [path, { gateway_authentication }],
    [other, { is_default: true }],
    [path, { status: 'inactive' }],
    [path, { status: 'active' }],
    [path, { name: 'B' }],
    [path, { gateway_url: 'https://b.example.com', gateway_authentication }],
  ]
  for (const [at, change] of changes)
    expect([change, (await of.tenant.patch(at, change)).status]).toEqual([change, 200])
  await removeAll(of, [other])
})

test('texts of an existing one can become longer above the bound of creations', async () => {
  const of = await world.unit()
  const small = await created(of, sandbox())
  await fill(of)
  const changed = await of.tenant.patch(`${of.orchestrators}/${small.id}`, { settings, name: 'x'.repeat(200) })
  expect([changed.status, changed.body.settings]).toEqual([200, settings])
})
