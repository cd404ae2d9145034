import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { RotationProgress } from '@payments/contracts/endpoints/key-rotation'
import { startWorld, type World } from './world.ts'

/** A re-encryption covers the values of all tenants, so each test starts with empty tables. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.rows('DELETE FROM keys RETURNING id')
  await world.rows('DELETE FROM data_keys RETURNING id')
})

/** Two tenants and a rotated key: four encrypted values of three keys, under two data keys. */
async function fourValues() {
  const [ours, theirs] = [await world.tenant(), await world.tenant()]
  const one = (await ours.by().create()).body
  const two = (await ours.by().create()).body
  const three = (await theirs.by().create()).body
  const rotated = (await ours.by().rotate(one.id, 3_600)).body
  const keys = [
    { tenant: ours, id: one.id, value: rotated.value },
    { tenant: ours, id: two.id, value: two.value },
    { tenant: theirs, id: three.id, value: three.value },
  ] as const
  return { keys, previous: one }
}

/** The data key id of each encrypted value. */
const dataKeys = () =>
  world.rows<{ key: string }>(
    `SELECT encode(substring(value_encrypted FROM 2 FOR 16), 'hex') AS key FROM keys
      UNION ALL SELECT encode(substring(value_encrypted FROM 2 FOR 16), 'hex') FROM previous_values`,
  )

async function all(since: string, limit: number): Promise<RotationProgress[]> {
  const responses: RotationProgress[] = []
  for (let body: object = { after: null, limit, since }; responses.length < 100; ) {
    const reply = await world.asService.reencrypt(body)
    expect(reply.status).toBe(200)
    const { next, current } = reply.body as RotationProgress
    responses.push(reply.body)
    if (next === null) return responses
    body = { after: next, limit, current, since }
  }
  throw new Error('the re-encryption did not end after 100 batches')
}

const shape = (responses: RotationProgress[]) =>
  responses.map(({ done, failed, remaining }) => [done, failed, remaining])
const soon = () => new Date(Date.now() + 1).toISOString()

describe('reencryptSecrets', () => {
  test('re-encrypts every value, previous ones included, under a newer data key of its tenant, and changes nothing else', async () => {
    const { keys, previous } = await fourValues()
    const before = new Set((await dataKeys()).map(({ key }) => key))
    const epoch = await world.epoch()
    const responses = await all(soon(), 2)
    expect(responses.reduce((sum, { done }) => sum + done, 0)).toBe(4)
    expect(responses.at(-1)).toMatchObject({ current: 'kek', failed: 0, remaining: 0, next: null })
    const after = (await dataKeys()).map(({ key }) => key)
    expect(after).toHaveLength(4)
    expect([after.filter((key) => before.has(key)), new Set(after).size]).toEqual([[], 2])
    for (const { tenant, id, value } of keys) expect((await tenant.by().reveal(id)).body.value).toBe(value)
    expect(await world.asService.identityOf(previous.value)).toMatchObject({ value: 'previous' })
    expect(await world.epoch()).toEqual(epoch)
  })

  test('an interrupted run continues when it is started again with the same instant, and repeats nothing', async () => {
    await fourValues()
    const since = soon()
    const first = await world.asService.reencrypt({ after: null, limit: 1, since })
    expect(first.body.done + first.body.remaining).toBe(4)
    expect(shape(await all(since, 10))).toEqual([[first.body.remaining, 0, 0]])
    expect(shape(await all(since, 10))).toEqual([[0, 0, 0]])
    expect(await world.rows('SELECT id FROM data_keys')).toHaveLength(4)
  })

  test('two concurrent runs process each value once, and each tenant gets one data key', async () => {
    const { keys } = await fourValues()
    const since = soon()
    const both = await Promise.all([all(since, 10), all(since, 10)])
    expect(both.flat().reduce((sum, { done }) => sum + done, 0)).toBe(4)
    expect(await world.rows('SELECT id FROM data_keys')).toHaveLength(4)
    for (const { tenant, id, value } of keys) expect((await tenant.by().reveal(id)).body.value).toBe(value)
  })

  test('beside ten rotations, each key shows its last value', async () => {
    const tenant = await world.tenant()
    const created = []
    for (let i = 0; i < 10; i += 1) created.push((await tenant.by().create()).body)
    const [, ...rotations] = await Promise.all([all(soon(), 3), ...created.map(({ id }) => tenant.by().rotate(id, 60))])
    for (const [i, { id, value }] of created.entries()) {
      expect((await tenant.by().reveal(id)).body.value).toBe(rotations[i]?.body.value)
      expect(await world.asService.identityOf(value)).toMatchObject({ value: 'previous' })
    }
  })

  test('skips and counts a value that cannot be decrypted, and leaves it unchanged', async () => {
    const { keys } = await fourValues()
    await world.rows(`UPDATE keys SET value_encrypted = '\\x01' WHERE id = $1::uuid RETURNING id`, keys[1].id)
    await world.rows(
      `UPDATE keys SET value_encrypted = set_byte(value_encrypted, 30, 255 - get_byte(value_encrypted, 30)) WHERE id = $1::uuid RETURNING id`,
      keys[2].id,
    )
    expect(shape(await all(soon(), 10))).toEqual([[2, 2, 0]])
    const left = await world.rows(`SELECT id FROM keys WHERE value_encrypted = '\\x01'`)
    expect(left).toHaveLength(1)
  })

  test('rejects another current key-encryption key, a malformed instant and an instant in the future', async () => {
    const rejected = await world.asService.reencrypt({ after: null, limit: 1, since: soon(), current: 'another' })
    expect([rejected.status, rejected.body.code]).toEqual([409, 'other_key_current'])
    const future = new Date(Date.now() + 3_600_000).toISOString()
    const early = await world.asService.reencrypt({ after: null, limit: 1, since: future })
    expect([early.status, early.body.code]).toEqual([422, 'since_in_the_future'])
    const malformed = await world.asService.reencrypt({ after: null, limit: 1, since: 'now' })
    expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([400, '/since'])
  })
})
