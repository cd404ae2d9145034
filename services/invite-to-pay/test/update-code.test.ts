import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { holdLock } from '@payments/testing/database/held-lock'
import { codesPath, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

test('updates each field, with one event and a higher version, and sends nothing', async () => {
  const tenant = world.tenant()
  const template = randomUUID()
  world.communication.state.templates.add(template)
  const code = await tenant.create()
  const changes = {
    recipient: 'other@example.com',
    expires_at: inHours(48),
    reminder_at: inHours(30),
    return_url: 'https://shop.example.com/thanks',
    locale: 'de-AT',
    template_id: template,
    communication_details: { description: 'Order 8', variables: { table: '12' } },
  }
  const { body } = await tenant.patch(`${codesPath}/${code.id}`, changes).expect(200)
  expect(body).toMatchObject({ ...changes, version: 2, url: null })
  expect(await tenant.read(code.id)).toEqual(body)
  const cleared = { reminder_at: null, return_url: null, locale: null, template_id: null }
  const { body: after } = await tenant.patch(`${codesPath}/${code.id}`, cleared).expect(200)
  expect(after).toMatchObject({ ...cleared, expires_at: changes.expires_at, version: 3 })
  const events = await tenant.events()
  expect(events.map(({ type, payload }) => [type, payload.version])).toEqual([
    ['invite-to-pay.codes.create', 1],
    ['invite-to-pay.codes.update', 2],
    ['invite-to-pay.codes.update', 3],
  ])
  expect(await world.rows('SELECT 1 FROM messages WHERE code_id = $1::uuid', code.id)).toHaveLength(1)
})

test('another recipient requires invitetopay:RevealCode, since the link stays the same', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const update = (recipient: string, ...more: 'invitetopay:RevealCode'[]) =>
    world.asTenant(tenant.id, ['invitetopay:UpdateCode', ...more]).patch(`${codesPath}/${code.id}`, { recipient })
  const { body: rejected } = await update('other@example.com').expect(403)
  expect(rejected).toMatchObject({
    code: 'permission_denied',
    errors: [{ pointer: '/recipient', detail: expect.stringContaining('invitetopay:RevealCode') }],
  })
  expect(await tenant.read(code.id)).toEqual({ ...code, url: null })
  expect(await tenant.events()).toHaveLength(1)
  const { body: same } = await update(code.recipient).expect(200)
  expect(same.recipient).toBe(code.recipient)
  const { body: changed } = await update('other@example.com', 'invitetopay:RevealCode').expect(200)
  expect(changed.recipient).toBe('other@example.com')
})

test('a recipient is compared with that of the moment: the one as it was read is another one after a change', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const held = await holdLock(
    world.database.ownerUrl,
    `UPDATE codes SET recipient = 'corrected@example.com' WHERE id = $1::uuid`,
    code.id,
  )
  const caller = world.asTenant(tenant.id, ['invitetopay:UpdateCode'])
  const updating = caller.patch(`${codesPath}/${code.id}`, { recipient: code.recipient }).then((reply) => reply)
  await held.untilWaiting(1)
  await held.release()
  expect((await updating).body.code).toBe('permission_denied')
  expect((await tenant.read(code.id)).recipient).toBe('corrected@example.com')
})

test('communication_details changes by the given members, and null removes one', async () => {
  const tenant = world.tenant()
  const details = { payer_name: 'Ada', description: 'Order 8', variables: { table: '12', hall: 'B' } }
  const code = await tenant.create({ communication_details: details })
  const update = async (communication_details: object | null) =>
    (await tenant.patch(`${codesPath}/${code.id}`, { communication_details }).expect(200)).body.communication_details
  expect(await update({ description: 'Order 9' })).toEqual({ ...details, description: 'Order 9' })
  expect(await update({ payer_name: null, variables: { table: '13', hall: null, row: '2' } })).toEqual({
    description: 'Order 9',
    variables: { table: '13', row: '2' },
  })
  expect(await update({ variables: null })).toEqual({ description: 'Order 9' })
  expect(await update({})).toEqual({ description: 'Order 9' })
  expect(await update(null)).toEqual({})
  expect((await tenant.read(code.id)).communication_details).toEqual({})
})

test('rejects more variables than a message can have, also by several changes', async () => {
  const tenant = world.tenant()
  const variables = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'x']))
  const code = await tenant.create({ communication_details: { variables: variables('a', 50) } })
  const change = { communication_details: { variables: variables('b', 1) } }
  const { status, body } = await tenant.patch(`${codesPath}/${code.id}`, change)
  expect([status, body.errors[0].pointer]).toEqual([400, '/communication_details/variables'])
  expect((await tenant.read(code.id)).version).toBe(1)
})

test('two changes at once of different members keep both', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const update = (details: object) => tenant.patch(`${codesPath}/${code.id}`, { communication_details: details })
  await Promise.all([
    update({ payer_name: 'Ada' }),
    update({ description: 'Order 8' }),
    update({ variables: { a: 'b' } }),
  ])
  const expected = { payer_name: 'Ada', description: 'Order 8', variables: { a: 'b' } }
  expect((await tenant.read(code.id)).communication_details).toEqual(expected)
})

test.each([
  ['EMAIL', 'payer@example.com', 'must be one email address'],
  ['SMS', '+4930123456', 'must be a phone number with its country code, such as +49 30 123456'],
])(
  'the error of a wrong recipient says what %s needs, of a new code and of a change',
  async (type, recipient, detail) => {
    const tenant = world.tenant()
    const code = await tenant.create({ communication_type: type, recipient })
    const ofOther = type === 'SMS' ? 'payer@example.com' : '+4930123456'
    const draft = (wrong: string) => tenant.draft({ communication_type: type, recipient: wrong })
    for (const { status, body } of [
      await tenant.post(codesPath, draft('no recipient')),
      await tenant.post(codesPath, draft(ofOther)),
      await tenant.patch(`${codesPath}/${code.id}`, { recipient: ofOther }),
    ]) {
      expect([status, body.errors]).toEqual([400, [{ pointer: '/recipient', detail }]])
    }
  },
)

test('rejects values that do not fit, names the field, and changes nothing', async () => {
  const tenant = world.tenant()
  const code = await tenant.create({ reminder_at: inHours(12) })
  const before = await tenant.read(code.id)
  const outcomes: unknown[] = []
  for (const changes of [
    { recipient: '+4930123456' },
    { expires_at: inHours(0) },
    { expires_at: inHours(71 * 24) },
    { expires_at: inHours(11) },
    { reminder_at: inHours(25) },
    { template_id: randomUUID() },
    { return_url: 'https:shop.example.com' },
    { return_url: 'javascript:alert(1)' },
  ]) {
    const { status, body } = await tenant.patch(`${codesPath}/${code.id}`, changes)
    outcomes.push([status, body.code, body.errors?.[0]?.pointer])
  }
  expect(outcomes).toEqual([
    [400, 'invalid_request', '/recipient'],
    [400, 'invalid_request', '/expires_at'],
    [400, 'invalid_request', '/expires_at'],
    [400, 'invalid_request', '/expires_at'],
    [400, 'invalid_request', '/reminder_at'],
    [422, 'template_unusable', '/template_id'],
    [400, 'invalid_request', '/return_url'],
    [400, 'invalid_request', '/return_url'],
  ])
  expect(await tenant.read(code.id)).toEqual(before)
  expect(await tenant.events()).toHaveLength(1)
})

test('rejects a code that is not active, expired ones before the job has recorded it, and those of other tenants', async () => {
  const tenant = world.tenant()
  const [code, ended] = [await tenant.create(), await tenant.create()]
  const update = (id: string, of = tenant) => of.patch(`${codesPath}/${id}`, { return_url: null })
  expect(outcome(await update(code.id, world.tenant()))).toEqual([404, 'code_not_found'])
  await world.age(code.id, 24 * 3600)
  expect(outcome(await update(code.id))).toEqual([409, 'code_not_active'])
  await tenant.post(`${codesPath}/${ended.id}/cancel`).expect(200)
  expect(outcome(await update(ended.id))).toEqual([409, 'code_not_active'])
})

test('ten updates at once make ten versions', async () => {
  const tenant = world.tenant()
  const code = await tenant.create()
  const update = (_: unknown, i: number) =>
    tenant.patch(`${codesPath}/${code.id}`, { return_url: `https://shop.example.com/${i}` })
  const replies = await Promise.all(Array.from({ length: 10 }, update))
  expect(replies.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})
