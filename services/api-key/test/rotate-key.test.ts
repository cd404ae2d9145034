import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseKeyValue } from '@payments/contracts/grammar/key-value'
import type { Permission } from '@payments/contracts/grammar/permission'
import { holdLock } from '@payments/testing/database/held-lock'
import { purgeExpired } from '../src/verbs/purge-expired.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const week = 604_800
const previousValues = (keyId: string) =>
  world.rows<{ rotation: number }>('SELECT rotation FROM previous_values WHERE key_id = $1::uuid', keyId)

/** Ends the grace period now. */
const endGrace = (keyId: string) =>
  world.rows(
    `UPDATE previous_values SET ends_at = now() - interval '1 ms' WHERE key_id = $1::uuid RETURNING key_id`,
    keyId,
  )

describe('rotateKey', () => {
  test('returns the key with a new full value once, and emits an event without any part of the value', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create({ name: 'till 7' })
    await tenant.by().assign(created.id, [tenant.viewerRole])
    const reply = await tenant.by().rotate(created.id, 60)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(parseKeyValue(reply.body.value)).toEqual({ environment: 'dev' })
    expect(reply.body.value).not.toBe(created.value)
    const { value, updated_at, previous_value_expires_at } = reply.body
    const changed = { value, updated_at, previous_value_expires_at }
    expect(reply.body).toEqual({ ...created, ...changed, role_ids: [tenant.viewerRole] })
    expect(updated_at > created.updated_at).toBe(true)
    expect((await tenant.by().read(created.id)).body.value).toBe(`psk_dev_…${value.slice(-4)}`)
    expect((await tenant.by().reveal(created.id)).body.value).toBe(value)
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({ type: 'api-key.keys.update', payload: { id: created.id, updated_at } })
    expect(JSON.stringify(event)).not.toContain(value.slice(-4))
  })

  test('with a grace period both values work, and identifyKey returns which value and its end', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const before = Date.now()
    const { body: rotated } = await tenant.by().rotate(created.id, 60)
    const [current, previous] = [
      await world.asService.identifyValue(rotated.value),
      await world.asService.identifyValue(created.value),
    ]
    expect(current).toMatchObject({ api_key_id: created.id, value: 'current', expires_at: null })
    expect(previous).toMatchObject({ api_key_id: created.id, value: 'previous' })
    const endsIn = Date.parse(previous?.expires_at ?? '') - before
    expect(endsIn).toBeGreaterThanOrEqual(60_000)
    expect(endsIn).toBeLessThan(75_000)
  })

  test('a previous value ends with its key when the key expires first', async () => {
    const tenant = await world.tenant()
    const soon = new Date(Date.now() + 30_000).toISOString()
    const { body: created } = await tenant.by().create({ expires_at: soon })
    await tenant.by().rotate(created.id, 60)
    expect(await world.asService.identifyValue(created.value)).toMatchObject({ value: 'previous', expires_at: soon })
  })

  test('after the grace period the previous value identifies no key, and is deleted', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { body: rotated } = await tenant.by().rotate(created.id, week)
    await endGrace(created.id)
    expect(await world.asService.identifyValue(created.value)).toBeNull()
    await purgeExpired(world.deps)
    expect(await previousValues(created.id)).toEqual([])
    expect(await world.asService.identifyValue(rotated.value)).not.toBeNull()
  })

  test.each([[0], [undefined]])('without a grace period (%s) the previous value ends at once', async (grace) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { body: rotated } = await tenant.by().rotate(created.id, grace)
    expect(await world.asService.identifyValue(created.value)).toBeNull()
    expect(await world.asService.identifyValue(rotated.value)).toMatchObject({ api_key_id: created.id })
    expect(await previousValues(created.id)).toEqual([])
  })

  test('a second rotation ends the grace period of the first: at most two values work', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const { body: first } = await tenant.by().rotate(created.id, week)
    const { body: second } = await tenant.by().rotate(created.id, week)
    const found = await Promise.all([created, first, second].map(({ value }) => world.asService.identifyValue(value)))
    expect(found.map((key) => key?.value)).toEqual([undefined, 'previous', 'current'])
    await tenant.by().rotate(created.id, 0)
    const left = await Promise.all([created, first, second].map(({ value }) => world.asService.identifyValue(value)))
    expect(left).toEqual([null, null, null])
  })

  test('both values are disabled with their key, and a rotation does not enable the key', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    await tenant.by().update(created.id, { enabled: false })
    const { body: rotated } = await tenant.by().rotate(created.id, 60)
    expect(rotated.enabled).toBe(false)
    for (const value of [created.value, rotated.value]) {
      expect(await world.asService.identifyValue(value)).toMatchObject({ enabled: false })
    }
  })

  test.each([
    ['a negative grace', { grace_period_seconds: -1 }],
    ['more than a week', { grace_period_seconds: week + 1 }],
    ['a fraction', { grace_period_seconds: 1.5 }],
    ['a word', { grace_period_seconds: '60' }],
  ])('rejects %s, names the field, and changes nothing', async (_, body) => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const reply = await tenant.by().send('post', `/v1/api-key/keys/${created.id}/rotate`, body)
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/grace_period_seconds'])
    expect(await world.asService.identifyValue(created.value)).toMatchObject({ value: 'current' })
    expect(await tenant.events()).toHaveLength(1)
  })
})

describe('permissions of the caller', () => {
  test('rejects a caller without the permissions of the key: 403, nothing changed; an equal caller may rotate', async () => {
    const tenant = await world.tenant()
    const own: Permission[] = ['apikey:RotateKey', 'apikey:ReadKey']
    const { body: created } = await tenant.by().create()
    await tenant.by().assign(created.id, [await tenant.role(['transaction:RefundTransaction', 'apikey:ReadKey'])])
    const events = await tenant.events()
    const reply = await tenant.by(own).rotate(created.id, 60)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['transaction:RefundTransaction'])
    expect(await world.asService.identifyValue(created.value)).toMatchObject({ value: 'current' })
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by([...own, 'transaction:RefundTransaction']).rotate(created.id, 60)).status).toBe(200)
  })

  test('a missing key and a key of another tenant are the same 404, and the foreign value stays', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    const responses = []
    for (const id of [foreign.id, randomUUID()]) {
      const { status, body } = await ours.by().rotate(id, 60)
      responses.push({ status, body: { ...body, trace_id: '' } })
    }
    expect(responses[0]).toMatchObject({ status: 404, body: { code: 'key_not_found' } })
    expect(responses[0]).toEqual(responses[1])
    expect(await world.asService.identifyValue(foreign.value)).toMatchObject({ value: 'current' })
  })
})

describe('concurrent rotations', () => {
  test('ten rotations return ten values: the last works, the one before is in its grace period, no other works', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().rotate(created.id, 60)))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const values = [created, ...replies.map(({ body }) => body)].map(({ value }) => value as string)
    expect(new Set(values).size).toBe(11)
    const found = await Promise.all(values.map((value) => world.asService.identifyValue(value)))
    const working = found.flatMap((key) => (key === null ? [] : [key.value]))
    expect(working.sort()).toEqual(['current', 'previous'])
    expect(await previousValues(created.id)).toEqual([{ rotation: 9 }])
    expect(await tenant.events()).toHaveLength(11)
  })

  test('beside a deletion, later rotations are key_not_found, and no value works', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const rotations = Array.from({ length: 9 }, () => tenant.by().rotate(created.id, 60))
    const [removed, ...replies] = await Promise.all([tenant.by().remove(created.id), ...rotations])
    expect(removed?.status).toBe(204)
    for (const { status } of replies) expect([200, 404]).toContain(status)
    for (const value of [created.value, ...replies.flatMap(({ body }) => body.value ?? [])]) {
      expect(await world.asService.identifyValue(value)).toBeNull()
    }
    expect(await previousValues(created.id)).toEqual([])
    expect((await tenant.events()).at(-1)?.type).toBe('api-key.keys.delete')
  })

  test('beside role changes, no rotation is authorized by roles that the key no longer has', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const strong = await tenant.role(['transaction:RefundTransaction'])
    const weak = tenant.by(['apikey:RotateKey'])
    const [assigned, ...replies] = await Promise.all([
      tenant.by().assign(created.id, [strong]),
      ...Array.from({ length: 9 }, () => weak.rotate(created.id, 60)),
    ])
    expect(assigned?.status).toBe(200)
    const events = await tenant.events()
    const assignedAt = events.findIndex(({ type }) => type === 'api-key.keys.assign-roles')
    expect(events.slice(assignedAt + 1)).toEqual([])
    for (const { status } of replies) expect([200, 403]).toContain(status)
    expect((await weak.rotate(created.id, 60)).status).toBe(403)
  })
})

describe('an Idempotency-Key', () => {
  test('ten rotations at once are one rotation: every response has its value', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const user = tenant.by()
    const once = randomUUID()
    const replies = await Promise.all(Array.from({ length: 10 }, () => user.rotate(created.id, 60, once)))
    const successful = replies.filter(({ status }) => status === 200)
    expect(new Set(successful.map(({ body }) => body.value)).size).toBe(1)
    expect(
      replies.filter(({ status }) => status !== 200).every(({ body }) => body.code === 'idempotency_key_in_use'),
    ).toBe(true)
    expect(await tenant.events()).toHaveLength(2)
  })

  test('a rotation whose roles change meanwhile starts again, and the replay returns its result', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const role = await tenant.role(['apikey:RotateKey'])
    const user = tenant.by()
    const once = randomUUID()
    // Locks the key and inserts a role, invisible until the commit.
    const lock = await holdLock(
      world.database.ownerUrl,
      `WITH locked AS (SELECT id, tenant_id FROM keys WHERE id = $1::uuid FOR UPDATE)
       INSERT INTO key_roles (tenant_id, key_id, role_id) SELECT tenant_id, id, $2::uuid FROM locked`,
      created.id,
      role,
    )
    const rotating = user.rotate(created.id, 60, once).then((reply) => reply)
    await lock.untilWaiting(1)
    const impatient = await user.rotate(created.id, 60, once)
    expect([impatient.status, impatient.body.code]).toEqual([409, 'idempotency_key_in_use'])
    await lock.release()
    const first = await rotating
    expect([first.status, first.body.role_ids]).toEqual([200, [role]])
    expect((await user.rotate(created.id, 60, once)).body).toEqual(first.body)
    expect(await tenant.events()).toHaveLength(2)
  })

  test('replays the first response, value included, while the value works, its grace period included', async () => {
    const tenant = await world.tenant()
    const { body: created } = await tenant.by().create()
    const user = tenant.by()
    const once = randomUUID()
    const first = await user.rotate(created.id, 60, once)
    const again = await user.rotate(created.id, 60, once)
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body])
    await tenant.by().rotate(created.id, 60)
    expect((await user.rotate(created.id, 60, once)).body).toEqual(first.body)
    await endGrace(created.id)
    const late = await user.rotate(created.id, 60, once)
    expect([late.status, late.body.code]).toEqual([409, 'value_replaced'])
  })

  test('of a creation replays the first value in its grace period, and never a later value', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const once = randomUUID()
    const first = await user.create({}, once)
    const rotated = await tenant.by().rotate(first.body.id, 60)
    expect((await user.create({}, once)).body).toEqual(first.body)
    await endGrace(first.body.id)
    const late = await user.create({}, once)
    expect([late.status, late.body.code]).toEqual([409, 'value_replaced'])
    expect(JSON.stringify(late.body)).not.toContain(rotated.body.value.slice(-4))
    expect((await user.list()).body.data).toHaveLength(1)
  })

  test('is bound to one key, one grace period and one caller; after a deletion it is key_not_found', async () => {
    const tenant = await world.tenant()
    const user = tenant.by()
    const [one, two] = [(await user.create()).body, (await user.create()).body]
    const once = randomUUID()
    await user.rotate(one.id, 60, once)
    for (const reply of [
      await user.rotate(one.id, 61, once),
      await user.rotate(two.id, 60, once),
      await tenant.by().rotate(one.id, 60, once),
    ]) {
      expect([reply.status, reply.body.code]).toEqual([422, 'idempotency_key_reused'])
    }
    await tenant.by().remove(one.id)
    expect((await user.rotate(one.id, 60, once)).body.code).toBe('key_not_found')
  })
})
