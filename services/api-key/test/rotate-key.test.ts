import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseKeyValue } from '@payments/contracts/key-value'
import type { Permission } from '@payments/contracts/permission'
import { holdLock } from '@payments/testing/held-lock'
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

/** As if the grace period had gone by. */
const endGrace = (keyId: string) =>
  world.rows(
    `UPDATE previous_values SET ends_at = now() - interval '1 ms' WHERE key_id = $1::uuid RETURNING key_id`,
    keyId,
  )

describe('rotateKey', () => {
  test('answers the key with a new value in full, this once, and tells of it without any part of the value', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create({ name: 'till 7' })
    await tenant.by().assign(made.id, [tenant.viewerRole])
    const reply = await tenant.by().rotate(made.id, 60)
    expect([reply.status, reply.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(parseKeyValue(reply.body.value)).toEqual({ environment: 'dev' })
    expect(reply.body.value).not.toBe(made.value)
    const { value, updated_at } = reply.body
    expect(reply.body).toEqual({ ...made, value, updated_at, role_ids: [tenant.viewerRole] })
    expect(updated_at > made.updated_at).toBe(true)
    expect((await tenant.by().read(made.id)).body.value).toBe(`psk_dev_…${value.slice(-4)}`)
    expect((await tenant.by().reveal(made.id)).body.value).toBe(value)
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({ type: 'api-key.keys.update', payload: { id: made.id, updated_at } })
    expect(JSON.stringify(event)).not.toContain(value.slice(-4))
  })

  test('with a grace period both values work, and the gateway is told which it was and when it ends', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const before = Date.now()
    const { body: rotated } = await tenant.by().rotate(made.id, 60)
    const [present, former] = [await world.asService.whoHas(rotated.value), await world.asService.whoHas(made.value)]
    expect(present).toMatchObject({ api_key_id: made.id, value: 'current', expires_at: null })
    expect(former).toMatchObject({ api_key_id: made.id, value: 'previous' })
    const endsIn = Date.parse(former?.expires_at ?? '') - before
    expect(endsIn).toBeGreaterThanOrEqual(60_000)
    expect(endsIn).toBeLessThan(75_000)
  })

  test('a former value ends with its key, where that is sooner', async () => {
    const tenant = await world.tenant()
    const soon = new Date(Date.now() + 30_000).toISOString()
    const { body: made } = await tenant.by().create({ expires_at: soon })
    await tenant.by().rotate(made.id, 60)
    expect(await world.asService.whoHas(made.value)).toMatchObject({ value: 'previous', expires_at: soon })
  })

  test('when the grace is over the former value is nobody’s, and then destroyed', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const { body: rotated } = await tenant.by().rotate(made.id, week)
    await endGrace(made.id)
    expect(await world.asService.whoHas(made.value)).toBeNull()
    await purgeExpired(world.deps)
    expect(await previousValues(made.id)).toEqual([])
    expect(await world.asService.whoHas(rotated.value)).not.toBeNull()
  })

  test.each([[0], [undefined]])('without a grace period (%s) the former value dies now', async (grace) => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const { body: rotated } = await tenant.by().rotate(made.id, grace)
    expect(await world.asService.whoHas(made.value)).toBeNull()
    expect(await world.asService.whoHas(rotated.value)).toMatchObject({ api_key_id: made.id })
    expect(await previousValues(made.id)).toEqual([])
  })

  test('a second rotation ends the grace of the first: at most two values work', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const { body: first } = await tenant.by().rotate(made.id, week)
    const { body: second } = await tenant.by().rotate(made.id, week)
    const found = await Promise.all([made, first, second].map(({ value }) => world.asService.whoHas(value)))
    expect(found.map((key) => key?.value)).toEqual([undefined, 'previous', 'current'])
    await tenant.by().rotate(made.id, 0)
    const left = await Promise.all([made, first, second].map(({ value }) => world.asService.whoHas(value)))
    expect(left).toEqual([null, null, null])
  })

  test('both values share what the key is: disabled, both are; and rotating does not enable it', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    await tenant.by().update(made.id, { enabled: false })
    const { body: rotated } = await tenant.by().rotate(made.id, 60)
    expect(rotated.enabled).toBe(false)
    for (const value of [made.value, rotated.value]) {
      expect(await world.asService.whoHas(value)).toMatchObject({ enabled: false })
    }
  })

  test.each([
    ['a negative grace', { grace_period_seconds: -1 }],
    ['more than a week', { grace_period_seconds: week + 1 }],
    ['a fraction', { grace_period_seconds: 1.5 }],
    ['a word', { grace_period_seconds: '60' }],
  ])('refuses %s, naming the field, and changes nothing', async (_, body) => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const reply = await tenant.by().send('post', `/v1/api-key/keys/${made.id}/rotate`, body)
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([400, '/grace_period_seconds'])
    expect(await world.asService.whoHas(made.value)).toMatchObject({ value: 'current' })
    expect(await tenant.events()).toHaveLength(1)
  })
})

describe('the rules', () => {
  test('nobody rotates a key that can do more than they can: 403, nothing changed; an equal may', async () => {
    const tenant = await world.tenant()
    const own: Permission[] = ['apikey:RotateKey', 'apikey:ReadKey']
    const { body: made } = await tenant.by().create()
    await tenant.by().assign(made.id, [await tenant.role(['transaction:RefundTransaction', 'apikey:ReadKey'])])
    const events = await tenant.events()
    const reply = await tenant.by(own).rotate(made.id, 60)
    expect([reply.status, reply.body.code]).toEqual([403, 'would_exceed_own_permissions'])
    expect(reply.body.missing_permissions).toEqual(['transaction:RefundTransaction'])
    expect(await world.asService.whoHas(made.value)).toMatchObject({ value: 'current' })
    expect(await tenant.events()).toEqual(events)
    expect((await tenant.by([...own, 'transaction:RefundTransaction']).rotate(made.id, 60)).status).toBe(200)
  })

  test('a key may rotate itself, at once too: it keeps its power', async () => {
    const tenant = await world.tenant()
    const own: Permission[] = ['apikey:RotateKey']
    const { body: made } = await tenant.by().create()
    await tenant.by().assign(made.id, [await tenant.role(own)])
    const reply = await tenant.as({ type: 'api_key', id: made.id }, own).rotate(made.id, 0)
    expect(reply.status).toBe(200)
    expect(await world.asService.whoHas(reply.body.value)).toMatchObject({ api_key_id: made.id, enabled: true })
  })

  test('a missing key and one of another tenant are the same 404, and the foreign one keeps its value', async () => {
    const [ours, theirs] = [await world.tenant(), await world.tenant()]
    const { body: foreign } = await theirs.by().create()
    const answers = []
    for (const id of [foreign.id, randomUUID()]) {
      const { status, body } = await ours.by().rotate(id, 60)
      answers.push({ status, body: { ...body, trace_id: '' } })
    }
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'key_not_found' } })
    expect(answers[0]).toEqual(answers[1])
    expect(await world.asService.whoHas(foreign.value)).toMatchObject({ value: 'current' })
  })
})

describe('at once', () => {
  test('ten rotations: each answers a value of its own, the last works, the last but one is in grace, no other works', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const replies = await Promise.all(Array.from({ length: 10 }, () => tenant.by().rotate(made.id, 60)))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const values = [made, ...replies.map(({ body }) => body)].map(({ value }) => value as string)
    expect(new Set(values).size).toBe(11)
    const found = await Promise.all(values.map((value) => world.asService.whoHas(value)))
    const standing = found.flatMap((key) => (key === null ? [] : [key.value]))
    expect(standing.sort()).toEqual(['current', 'previous'])
    expect(await previousValues(made.id)).toEqual([{ rotation: 9 }])
    expect(await tenant.events()).toHaveLength(11)
  })

  test('beside a deletion: whoever comes after is told that there is no such key, and no value works', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const rotations = Array.from({ length: 9 }, () => tenant.by().rotate(made.id, 60))
    const [removed, ...replies] = await Promise.all([tenant.by().remove(made.id), ...rotations])
    expect(removed?.status).toBe(204)
    for (const { status } of replies) expect([200, 404]).toContain(status)
    for (const value of [made.value, ...replies.flatMap(({ body }) => body.value ?? [])]) {
      expect(await world.asService.whoHas(value)).toBeNull()
    }
    expect(await previousValues(made.id)).toEqual([])
    expect((await tenant.events()).at(-1)?.type).toBe('api-key.keys.delete')
  })

  test('beside replacements of roles: no rotation is judged by roles the key no longer has', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const strong = await tenant.role(['transaction:RefundTransaction'])
    const weak = tenant.by(['apikey:RotateKey'])
    const [assigned, ...replies] = await Promise.all([
      tenant.by().assign(made.id, [strong]),
      ...Array.from({ length: 9 }, () => weak.rotate(made.id, 60)),
    ])
    expect(assigned?.status).toBe(200)
    const events = await tenant.events()
    const assignedAt = events.findIndex(({ type }) => type === 'api-key.keys.assign-roles')
    expect(events.slice(assignedAt + 1)).toEqual([])
    for (const { status } of replies) expect([200, 403]).toContain(status)
    expect((await weak.rotate(made.id, 60)).status).toBe(403)
  })
})

describe('an Idempotency-Key', () => {
  test('of ten rotations at once makes one: every answer has its value', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const user = tenant.by()
    const once = randomUUID()
    const replies = await Promise.all(Array.from({ length: 10 }, () => user.rotate(made.id, 60, once)))
    const answered = replies.filter(({ status }) => status === 200)
    expect(new Set(answered.map(({ body }) => body.value)).size).toBe(1)
    expect(
      replies.filter(({ status }) => status !== 200).every(({ body }) => body.code === 'idempotency_key_in_use'),
    ).toBe(true)
    expect(await tenant.events()).toHaveLength(2)
  })

  test('whose roles are replaced while it decides begins again, and the key stands for what it then did', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const role = await tenant.role(['apikey:RotateKey'])
    const user = tenant.by()
    const once = randomUUID()
    // Locks the key and, unseen until the commit, gives it a role.
    const lock = await holdLock(
      world.database.ownerUrl,
      `WITH locked AS (SELECT id, tenant_id FROM keys WHERE id = $1::uuid FOR UPDATE)
       INSERT INTO key_roles (tenant_id, key_id, role_id) SELECT tenant_id, id, $2::uuid FROM locked`,
      made.id,
      role,
    )
    const rotating = user.rotate(made.id, 60, once).then((reply) => reply)
    await lock.untilWaiting(1)
    const impatient = await user.rotate(made.id, 60, once)
    expect([impatient.status, impatient.body.code]).toEqual([409, 'idempotency_key_in_use'])
    await lock.release()
    const first = await rotating
    expect([first.status, first.body.role_ids]).toEqual([200, [role]])
    expect((await user.rotate(made.id, 60, once)).body).toEqual(first.body)
    expect(await tenant.events()).toHaveLength(2)
  })

  test('replays the first answer, value included, while that value works, its grace included', async () => {
    const tenant = await world.tenant()
    const { body: made } = await tenant.by().create()
    const user = tenant.by()
    const once = randomUUID()
    const first = await user.rotate(made.id, 60, once)
    const again = await user.rotate(made.id, 60, once)
    expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body])
    await tenant.by().rotate(made.id, 60)
    expect((await user.rotate(made.id, 60, once)).body).toEqual(first.body)
    await endGrace(made.id)
    const late = await user.rotate(made.id, 60, once)
    expect([late.status, late.body.code]).toEqual([409, 'value_replaced'])
  })

  test('of a creation shows the value it made and never a later one: in its grace, and no more after it', async () => {
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

  test('stands for one key, one grace and one caller; after a deletion there is no such key', async () => {
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
