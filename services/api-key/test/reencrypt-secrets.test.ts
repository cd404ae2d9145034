import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { RotationProgress } from '@payments/contracts/key-rotation'
import { startWorld, type World } from './world.ts'

/** Each test has the tables to itself: what is sealed anew is what all tenants have. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(async () => {
  await world.rows('DELETE FROM keys RETURNING id')
  await world.rows('DELETE FROM data_keys RETURNING id')
})

/** Two tenants, one of which has a key in rotation: four sealed values of three keys, under two data keys. */
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
  return { keys, former: one }
}

/** A data key for each sealed value, without the tenants. */
const dataKeys = () =>
  world.rows<{ key: string }>(
    `SELECT encode(substring(value_encrypted FROM 2 FOR 16), 'hex') AS key FROM keys
      UNION ALL SELECT encode(substring(value_encrypted FROM 2 FOR 16), 'hex') FROM previous_values`,
  )

async function all(since: string, limit: number): Promise<RotationProgress[]> {
  const answers: RotationProgress[] = []
  for (let body: object = { after: null, limit, since }; answers.length < 100; ) {
    const reply = await world.asService.reencrypt(body)
    expect(reply.status).toBe(200)
    const { next, current } = reply.body as RotationProgress
    answers.push(reply.body)
    if (next === null) return answers
    body = { after: next, limit, current, since }
  }
  throw new Error('there is no end of it')
}

const shape = (answers: RotationProgress[]) => answers.map(({ done, failed, remaining }) => [done, failed, remaining])
const soon = () => new Date(Date.now() + 1).toISOString()

describe('reencryptSecrets', () => {
  test('seals every value anew, the previous ones too, each under a younger data key of its tenant, and changes nothing else', async () => {
    const { keys, former } = await fourValues()
    const before = new Set((await dataKeys()).map(({ key }) => key))
    const epoch = await world.epoch()
    const answers = await all(soon(), 2)
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(4)
    expect(answers.at(-1)).toMatchObject({ current: 'kek', failed: 0, remaining: 0, next: null })
    const after = (await dataKeys()).map(({ key }) => key)
    expect(after).toHaveLength(4)
    expect([after.filter((key) => before.has(key)), new Set(after).size]).toEqual([[], 2])
    for (const { tenant, id, value } of keys) expect((await tenant.by().reveal(id)).body.value).toBe(value)
    expect(await world.asService.whoHas(former.value)).toMatchObject({ value: 'previous' })
    expect(await world.epoch()).toEqual(epoch)
  })

  test('interrupted, it goes on where it was begun again with the same instant: nothing is done twice', async () => {
    await fourValues()
    const since = soon()
    const first = await world.asService.reencrypt({ after: null, limit: 1, since })
    expect(first.body.done + first.body.remaining).toBe(4)
    expect(shape(await all(since, 10))).toEqual([[first.body.remaining, 0, 0]])
    expect(shape(await all(since, 10))).toEqual([[0, 0, 0]])
    expect(await world.rows('SELECT id FROM data_keys')).toHaveLength(4)
  })

  test('two at once do each value once, and each tenant gets one data key', async () => {
    const { keys } = await fourValues()
    const since = soon()
    const both = await Promise.all([all(since, 10), all(since, 10)])
    expect(both.flat().reduce((sum, { done }) => sum + done, 0)).toBe(4)
    expect(await world.rows('SELECT id FROM data_keys')).toHaveLength(4)
    for (const { tenant, id, value } of keys) expect((await tenant.by().reveal(id)).body.value).toBe(value)
  })

  test('beside ten rotations, each key shows its last value', async () => {
    const tenant = await world.tenant()
    const made = []
    for (let i = 0; i < 10; i += 1) made.push((await tenant.by().create()).body)
    const [, ...rotations] = await Promise.all([all(soon(), 3), ...made.map(({ id }) => tenant.by().rotate(id, 60))])
    for (const [i, { id, value }] of made.entries()) {
      expect((await tenant.by().reveal(id)).body.value).toBe(rotations[i]?.body.value)
      expect(await world.asService.whoHas(value)).toMatchObject({ value: 'previous' })
    }
  })

  test('passes over what does not open, counts it, and leaves it as it is', async () => {
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

  test('refuses to go on where another key-encryption key is current, and an instant that is none or has not come', async () => {
    const refused = await world.asService.reencrypt({ after: null, limit: 1, since: soon(), current: 'another' })
    expect([refused.status, refused.body.code]).toEqual([409, 'other_key_current'])
    const future = new Date(Date.now() + 3_600_000).toISOString()
    const early = await world.asService.reencrypt({ after: null, limit: 1, since: future })
    expect([early.status, early.body.code]).toEqual([422, 'since_in_the_future'])
    const malformed = await world.asService.reencrypt({ after: null, limit: 1, since: 'now' })
    expect([malformed.status, malformed.body.errors[0].pointer]).toEqual([400, '/since'])
  })
})
