import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outcome } from '@payments/testing/calls/caller'
import { created, httpProvider, startWorld, stripe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const withKey = (publishable_key: unknown, given: object = {}) => stripe({ settings: { publishable_key }, ...given })
const key = 'pk_test_51HxAbCd'
const field = '/settings/publishable_key'

test('shows the publishable key, which is no secret, in reads and events', async () => {
  const of = await world.unit()
  const one = await created(of, withKey(key, { settings: { publishable_key: key, note: 'other settings stay' } }))
  expect(one.settings).toEqual({ publishable_key: key, note: 'other settings stay' })
  expect((await of.tenant.get(`${of.orchestrators}/${one.id}`)).body.settings).toEqual(one.settings)
  expect((await world.events(of.tenantId)).at(-1)?.payload.payment_orchestrator?.settings).toEqual(one.settings)
})

test.each([
  ['a key of the other mode', withKey('pk_live_51HxAbCd')],
  [
    'a test key in live mode',
    withKey(key, { mode: 'live', gateway_authentication: { secret_key: 'sk_live_12345678' } }),
  ],
  ['a secret key', withKey('sk_test_4eC39HqLyjWDarjtT1')],
  ['a key with markup', withKey('pk_test_"><script>')],
  ['a number', withKey(7)],
  ['an empty text', withKey('')],
])('rejects %s, names the field and stores nothing', async (_, body) => {
  const of = await world.unit()
  const reply = await of.tenant.post(of.orchestrators, body)
  expect(outcome(reply)).toEqual([400, 'invalid_request'])
  expect(reply.body.errors).toMatchObject([{ pointer: field }])
  expect((await of.tenant.get(of.orchestrators)).body.data).toEqual([])
  expect(await world.events(of.tenantId)).toHaveLength(1)
})

test('another account gets no card without the credentials: a new key requires them, and its removal does not', async () => {
  const of = await world.unit()
  const one = await created(of, withKey(key))
  const path = `${of.orchestrators}/${one.id}`
  const other = { publishable_key: 'pk_test_51HxOther' }
  const rejected = await of.tenant.patch(path, { settings: other })
  expect(outcome(rejected)).toEqual([400, 'invalid_request'])
  expect(rejected.body.errors).toEqual([
    { pointer: '/gateway_authentication', detail: 'is required when settings.publishable_key changes' },
  ])
  expect((await of.tenant.get(path)).body).toEqual(one)
  const same = { publishable_key: key, note: 'x' }
  expect((await of.tenant.patch(path, { settings: same })).body.settings).toEqual(same)
  const { gateway_authentication } = stripe()
  expect((await of.tenant.patch(path, { settings: { note: 'y' } })).body.settings).toEqual({ ...same, note: 'y' })
  const moved = await of.tenant.patch(path, { settings: { ...other, note: null }, gateway_authentication })
  expect(moved.body.settings).toEqual(other)
  expect((await of.tenant.patch(path, { settings: { publishable_key: null } })).body.settings).toEqual({})
  expect(outcome(await of.tenant.patch(path, { settings: other }))).toEqual([400, 'invalid_request'])
})

test('other connectors store a setting of the same name without an effect', async () => {
  const of = await world.unit()
  expect((await created(of, httpProvider({ settings: { publishable_key: 'x' } }))).settings).toEqual({
    publishable_key: 'x',
  })
})
