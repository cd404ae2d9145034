import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { allBatches, clearTables, sumProgress, tenantsWithKeys } from './rotation.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => clearTables(world))

/** A ring with the peppers of the world and a new current one. */
const newPeppers = () => ({
  keys: new Map([...world.peppers.keys, ['new', createSecretKey(randomBytes(32))]]),
  current: 'new',
})

describe('rotatePepper', () => {
  const kids = async () =>
    (
      await world.rows<{ kid: string }>(
        'SELECT pepper_kid AS kid FROM keys UNION ALL SELECT pepper_kid FROM previous_values ORDER BY 1',
      )
    ).map(({ kid }) => kid)

  test('moves every index to the current pepper, previous values included: the previous pepper can be removed', async () => {
    const created = await tenantsWithKeys(world, 2, 2)
    const tenant = await world.tenant()
    const rotating = (await tenant.by().create()).body
    const rotated = (await tenant.by().rotate(rotating.id, 60)).body
    const peppers = newPeppers()
    const app = world.appWithPeppers(peppers)
    const responses = await allBatches(world, app, 2)
    expect(responses.map(({ current, remaining }) => [current, remaining])).toEqual([
      ['new', 3],
      ['new', 1],
      ['new', 0],
    ])
    expect(responses.reduce((sum, { done }) => sum + done, 0)).toBe(6)
    expect(await kids()).toEqual(Array(6).fill('new'))
    peppers.keys.delete('old')
    const later = world.service(world.appWithPeppers(peppers))
    for (const { value, id } of created) expect((await later.identifyValue(value))?.api_key_id).toBe(id)
    expect(await later.identifyValue(rotated.value)).toMatchObject({ value: 'current' })
    expect(await later.identifyValue(rotating.value)).toMatchObject({ value: 'previous' })
    expect(sumProgress(await allBatches(world, app, 2))).toEqual([[0, 0, 0]])
  })

  test('invalidates unknown key hashes once per batch, and no key', async () => {
    await tenantsWithKeys(world, 2)
    const app = world.appWithPeppers(newPeppers())
    const before = await world.epoch()
    await allBatches(world, app, 100)
    const after = await world.epoch(before.epoch)
    expect(after.invalidated?.map(({ kind }) => kind)).toEqual(['unknown_key_hashes'])
    await allBatches(world, app, 100)
    expect((await world.epoch()).epoch).toBe(after.epoch)
  })

  test('beside ten rotations, in any order, each key is found by its own values only', async () => {
    const tenant = await world.tenant()
    const created = []
    for (let i = 0; i < 10; i += 1) created.push((await tenant.by().create()).body)
    const app = world.appWithPeppers(newPeppers())
    const [, ...rotations] = await Promise.all([
      allBatches(world, app, 3),
      ...created.map(({ id }) => world.asUserOfTenant(app, tenant.id).rotate(id, 60)),
    ])
    await allBatches(world, app, 3)
    expect(new Set(await kids())).toEqual(new Set(['new']))
    for (const [i, { id, value }] of created.entries()) {
      expect(await world.service(app).identifyValue(value)).toMatchObject({ api_key_id: id, value: 'previous' })
      expect(await world.service(app).identifyValue(rotations[i]?.body.value)).toMatchObject({
        api_key_id: id,
        value: 'current',
      })
    }
  })

  test('skips and counts a value that cannot be decrypted, and leaves it unchanged', async () => {
    const created = await tenantsWithKeys(world, 2)
    await world.rows(`UPDATE keys SET value_encrypted = '\\x01' WHERE id = $1::uuid RETURNING id`, created[0]?.id)
    const app = world.appWithPeppers(newPeppers())
    expect(sumProgress(await allBatches(world, app, 10))).toEqual([[1, 1, 0]])
    expect(await kids()).toEqual(['new', 'old'])
  })
})

test('a process with another current key rejects the batch, so that two processes do not undo each other', async () => {
  const body = { after: null, limit: 10, current: 'another' }
  const reply = await world.asService.rotatePepper(body)
  expect([reply.status, reply.body.code]).toEqual([409, 'other_key_current'])
})

test.each([
  ['no limit', { after: null }, '/limit'],
  ['more than a thousand', { after: null, limit: 1001 }, '/limit'],
  ['a malformed cursor', { after: 'start', limit: 1 }, '/after'],
])('rejects %s with 400 and names the field', async (_, body, pointer) => {
  const reply = await world.asService.rotatePepper(body)
  expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, pointer])
})

test('a batch after the last key is the end', async () => {
  const after = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const reply = await world.asService.rotatePepper({ after, limit: 1 })
  expect(reply.body).toEqual({ current: 'old', done: 0, failed: 0, remaining: 0, next: null })
})
