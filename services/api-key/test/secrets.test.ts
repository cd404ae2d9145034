import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { App } from '@payments/chassis/app'
import type { RotationProgress } from '@payments/contracts/key-rotation'
import { startWorld, type World } from './world.ts'

/** Each test has the tables to itself: what is rotated is what all tenants have. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.rows('DELETE FROM keys RETURNING id')
  await world.rows('DELETE FROM data_keys RETURNING id')
  world.peppers.current = 'old'
})

const secretKey = () => createSecretKey(randomBytes(32))

async function tenantsWithKeys(tenants: number, keysEach = 1) {
  const made: { value: string; id: string; read: () => Promise<string> }[] = []
  for (let i = 0; i < tenants; i += 1) {
    const tenant = await world.tenant()
    for (let j = 0; j < keysEach; j += 1) {
      const { body } = await tenant.by().create()
      const read = async () => (await tenant.by().reveal(body.id)).body.value as string
      made.push({ value: body.value, id: body.id, read })
    }
  }
  return made
}

/** Calls until there is nothing left, as payctl does. */
async function all(call: 'rewrap' | 'rotatePepper', through: App, limit: number): Promise<RotationProgress[]> {
  const answers: RotationProgress[] = []
  let body: { after: string | null; limit: number; current?: string } = { after: null, limit }
  for (let i = 0; i < 100; i += 1) {
    const reply = await world.service(through)[call](body)
    expect(reply.status).toBe(200)
    answers.push(reply.body)
    if (reply.body.next === null) return answers
    body = { after: reply.body.next, limit, current: reply.body.current }
  }
  throw new Error('there is no end of it')
}

const shape = (answers: RotationProgress[]) => answers.map(({ done, failed, remaining }) => [done, failed, remaining])

describe('rewrapDataKeys', () => {
  const kekIds = async () =>
    (await world.rows<{ kekId: string }>('SELECT kek_id AS "kekId" FROM data_keys ORDER BY 1')).map((row) => row.kekId)

  test('wraps every tenant’s data key with the current key, batch by batch, and tells how far it is', async () => {
    world.keyRing.set('next', secretKey())
    const made = await tenantsWithKeys(5)
    const answers = await all('rewrap', world.appUnder('next'), 2)
    expect(shape(answers)).toEqual([
      [2, 0, 3],
      [2, 0, 1],
      [1, 0, 0],
    ])
    expect(await kekIds()).toEqual(Array(5).fill('next'))
    for (const { value, read } of made) expect(await read()).toBe(value)
    expect(shape(await all('rewrap', world.appUnder('next'), 2))).toEqual([[0, 0, 0]])
  })

  test('afterwards a process without the former key opens every value', async () => {
    const next = secretKey()
    world.keyRing.set('next', next)
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    await all('rewrap', world.appUnder('next'), 10)
    const later = world.appUnder('next', new Map([['next', next]]))
    const through = await world.tenant(later)
    const reply = await through.by().create()
    expect(reply.status).toBe(201)
    const user = world.userOf(later, tenant.id)
    expect((await user.reveal(made.id)).body.value).toBe(made.value)
  })

  test('interrupted, it goes on where it was begun again: nothing is done twice', async () => {
    world.keyRing.set('next', secretKey())
    await tenantsWithKeys(4)
    const app = world.appUnder('next')
    const first = await world.service(app).rewrap({ after: null, limit: 1 })
    expect(first.body).toMatchObject({ done: 1, remaining: 3, current: 'next' })
    const again = await all('rewrap', app, 10)
    expect(shape(again)).toEqual([[3, 0, 0]])
  })

  test('passes over what does not unwrap, counts it, and leaves it as it is', async () => {
    world.keyRing.set('next', secretKey())
    await tenantsWithKeys(3)
    await world.rows(
      `UPDATE data_keys SET kek_id = 'lost' WHERE id = (SELECT min(id::text)::uuid FROM data_keys) RETURNING id`,
    )
    expect(shape(await all('rewrap', world.appUnder('next'), 1))).toEqual([
      [0, 1, 2],
      [1, 0, 1],
      [1, 0, 0],
      [0, 0, 0],
    ])
    expect(await kekIds()).toEqual(['lost', 'next', 'next'])
  })

  test('two at once do each row once', async () => {
    world.keyRing.set('next', secretKey())
    await tenantsWithKeys(6)
    const app = world.appUnder('next')
    const both = await Promise.all([all('rewrap', app, 10), all('rewrap', app, 10)])
    expect(both.flat().reduce((sum, { done }) => sum + done, 0)).toBe(6)
    expect(await kekIds()).toEqual(Array(6).fill('next'))
  })
})

describe('rotatePepper', () => {
  const kids = async () =>
    (
      await world.rows<{ kid: string }>(
        'SELECT pepper_kid AS kid FROM keys UNION ALL SELECT pepper_kid FROM previous_values ORDER BY 1',
      )
    ).map(({ kid }) => kid)

  test('stores every look-up under the current pepper, previous values included: the former can be dropped', async () => {
    const made = await tenantsWithKeys(2, 2)
    const tenant = await world.tenant()
    const rotating = (await tenant.by().create()).body
    const rotated = (await tenant.by().rotate(rotating.id, 60)).body
    world.peppers.keys.set('new', secretKey())
    world.peppers.current = 'new'
    const answers = await all('rotatePepper', world.app, 2)
    expect(answers.map(({ current, remaining }) => [current, remaining])).toEqual([
      ['new', 3],
      ['new', 1],
      ['new', 0],
    ])
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(6)
    expect(await kids()).toEqual(Array(6).fill('new'))
    const former = world.peppers.keys.get('old')
    world.peppers.keys.delete('old')
    for (const { value, id } of made) expect((await world.asService.whoHas(value))?.api_key_id).toBe(id)
    expect(await world.asService.whoHas(rotated.value)).toMatchObject({ value: 'current' })
    expect(await world.asService.whoHas(rotating.value)).toMatchObject({ value: 'previous' })
    if (former !== undefined) world.peppers.keys.set('old', former)
    expect(shape(await all('rotatePepper', world.app, 2))).toEqual([[0, 0, 0]])
  })

  test('lets the gateway forget the handles it took for unknown, once a batch, and no key', async () => {
    await tenantsWithKeys(2)
    world.peppers.keys.set('new', secretKey())
    world.peppers.current = 'new'
    const before = await world.epoch()
    await all('rotatePepper', world.app, 100)
    const after = await world.epoch(before.epoch)
    expect(after.invalidated?.map(({ kind }) => kind)).toEqual(['unknown_key_hashes'])
    await all('rotatePepper', world.app, 100)
    expect((await world.epoch()).epoch).toBe(after.epoch)
  })

  test('beside ten rotations: whichever comes first, each key is found by its values and by no other', async () => {
    const tenant = await world.tenant()
    const made = []
    for (let i = 0; i < 10; i += 1) made.push((await tenant.by().create()).body)
    world.peppers.keys.set('new', secretKey())
    world.peppers.current = 'new'
    const [, ...rotations] = await Promise.all([
      all('rotatePepper', world.app, 3),
      ...made.map(({ id }) => tenant.by().rotate(id, 60)),
    ])
    await all('rotatePepper', world.app, 3)
    expect(new Set(await kids())).toEqual(new Set(['new']))
    for (const [i, { id, value }] of made.entries()) {
      expect(await world.asService.whoHas(value)).toMatchObject({ api_key_id: id, value: 'previous' })
      expect(await world.asService.whoHas(rotations[i]?.body.value)).toMatchObject({ api_key_id: id, value: 'current' })
    }
  })

  test('passes over a value that does not open, counts it, and leaves it as it is', async () => {
    const made = await tenantsWithKeys(2)
    await world.rows(`UPDATE keys SET value_encrypted = '\\x01' WHERE id = $1::uuid RETURNING id`, made[0]?.id)
    world.peppers.keys.set('new', secretKey())
    world.peppers.current = 'new'
    expect(shape(await all('rotatePepper', world.app, 10))).toEqual([[1, 1, 0]])
    expect(await kids()).toEqual(['new', 'old'])
  })
})

test('a process with another current key refuses to go on, so that two do not undo each other', async () => {
  const body = { after: null, limit: 10, current: 'another' }
  for (const reply of [await world.asService.rewrap(body), await world.asService.rotatePepper(body)]) {
    expect([reply.status, reply.body.code]).toEqual([409, 'other_key_current'])
  }
})

test.each([
  ['no limit', { after: null }, '/limit'],
  ['more than a thousand', { after: null, limit: 1001 }, '/limit'],
  ['a place that is none', { after: 'start', limit: 1 }, '/after'],
])('%s is a 400 that names the field', async (_, body, pointer) => {
  for (const reply of [await world.asService.rewrap(body), await world.asService.rotatePepper(body)]) {
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, pointer])
  }
})

test('a place behind the last is the end', async () => {
  const after = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const reply = await world.asService.rotatePepper({ after, limit: 1 })
  expect(reply.body).toEqual({ current: 'old', done: 0, failed: 0, remaining: 0, next: null })
})
