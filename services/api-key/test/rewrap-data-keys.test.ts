import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { allBatches, clearTables, progressOf, tenantsWithKeys } from './rotation.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => clearTables(world))

/** The app of a process with the key-encryption keys of the world and a new current one, `next`. */
const appUnderNext = (next = createSecretKey(randomBytes(32))) =>
  world.appUnder('next', new Map([...world.keyRing, ['next', next]]))

describe('rewrapDataKeys', () => {
  const kekIds = async () =>
    (await world.rows<{ kekId: string }>('SELECT kek_id AS "kekId" FROM data_keys ORDER BY 1')).map((row) => row.kekId)

  test('wraps the data keys of every tenant with the current key in batches, and reports progress', async () => {
    const app = appUnderNext()
    const created = await tenantsWithKeys(world, 5)
    const responses = await allBatches(world, 'rewrap', app, 2)
    expect(progressOf(responses)).toEqual([
      [2, 0, 3],
      [2, 0, 1],
      [1, 0, 0],
    ])
    expect(await kekIds()).toEqual(Array(5).fill('next'))
    for (const { value, id, tenantId } of created) {
      expect((await world.userOf(app, tenantId).reveal(id)).body.value).toBe(value)
    }
    expect(progressOf(await allBatches(world, 'rewrap', app, 2))).toEqual([[0, 0, 0]])
  })

  test('afterwards a process without the previous key decrypts every value', async () => {
    const next = createSecretKey(randomBytes(32))
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await allBatches(world, 'rewrap', appUnderNext(next), 10)
    const later = world.appUnder('next', new Map([['next', next]]))
    const through = await world.tenant(later)
    const reply = await through.by().create()
    expect(reply.status).toBe(201)
    const user = world.userOf(later, tenant.id)
    expect((await user.reveal(created.id)).body.value).toBe(created.value)
  })

  test('an interrupted run continues when it is started again, and repeats nothing', async () => {
    await tenantsWithKeys(world, 4)
    const app = appUnderNext()
    const first = await world.service(app).rewrap({ after: null, limit: 1 })
    expect(first.body).toMatchObject({ done: 1, remaining: 3, current: 'next' })
    const again = await allBatches(world, 'rewrap', app, 10)
    expect(progressOf(again)).toEqual([[3, 0, 0]])
  })

  test('skips and counts a data key that cannot be unwrapped, and leaves it unchanged', async () => {
    await tenantsWithKeys(world, 3)
    await world.rows(
      `UPDATE data_keys SET kek_id = 'lost' WHERE id = (SELECT min(id::text)::uuid FROM data_keys) RETURNING id`,
    )
    expect(progressOf(await allBatches(world, 'rewrap', appUnderNext(), 1))).toEqual([
      [0, 1, 2],
      [1, 0, 1],
      [1, 0, 0],
      [0, 0, 0],
    ])
    expect(await kekIds()).toEqual(['lost', 'next', 'next'])
  })

  test('two concurrent runs process each row once', async () => {
    await tenantsWithKeys(world, 6)
    const app = appUnderNext()
    const both = await Promise.all([allBatches(world, 'rewrap', app, 10), allBatches(world, 'rewrap', app, 10)])
    expect(both.flat().reduce((sum, { done }) => sum + done, 0)).toBe(6)
    expect(await kekIds()).toEqual(Array(6).fill('next'))
  })
})

test('a process with another current key rejects the batch, so that two processes do not undo each other', async () => {
  const body = { after: null, limit: 10, current: 'another' }
  const reply = await world.asService.rewrap(body)
  expect([reply.status, reply.body.code]).toEqual([409, 'other_key_current'])
})

test.each([
  ['no limit', { after: null }, '/limit'],
  ['more than a thousand', { after: null, limit: 1001 }, '/limit'],
  ['a malformed cursor', { after: 'start', limit: 1 }, '/after'],
])('rejects %s with 400 and names the field', async (_, body, pointer) => {
  const reply = await world.asService.rewrap(body)
  expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, pointer])
})
