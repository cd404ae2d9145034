import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/grammar/key-value'
import { parseSessionValue } from '@payments/contracts/grammar/session-value'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('a sign-in creates a session whose value is in no row, records when, and emits an event without address', async () => {
  const tenant = await world.tenant()
  const user = await tenant.member([tenant.viewerRole])
  const { value, id, session } = await user.signIn()
  expect(parseSessionValue(value)).toEqual({ environment: 'dev' })
  const hours = (session.expiresAt.getTime() - session.createdAt.getTime()) / 3_600_000
  expect(Math.round(hours)).toBe(12)
  const rows = await world.rows('SELECT * FROM sessions WHERE id = $1::uuid', id)
  expect(rows).toMatchObject([{ ip: '192.0.2.7', user_agent: 'Browser/1', pepper_kid: 'old' }])
  const stored = JSON.stringify(rows, (_, field) =>
    field instanceof Uint8Array ? Buffer.from(field).toString('hex') : field,
  )
  for (const secret of [value, value.slice(8), keyHash(value)]) expect(stored).not.toContain(secret)
  const [event] = await tenant.events()
  expect(event).toMatchObject({ type: 'identity.sessions.create', payload: { session: { id, user_id: user.id } } })
  expect(JSON.stringify(event)).not.toContain('192.0.2.7')
  expect((await tenant.by().readUser(user.id)).body.last_signed_in_at).toEqual(expect.any(String))
})

test('a person has at most ten sessions over all tenants: the least recently used ends, with an event', async () => {
  const [tenant, other] = [await world.tenant(), await world.tenant()]
  const user = await tenant.member([tenant.viewerRole])
  await world.join(other.id, user.id, [])
  const sessions = [await world.signIn(other.id, user)]
  for (let i = 0; i < 9; i += 1) sessions.push(await user.signIn())
  const [first, second] = sessions
  await world.rows(
    `UPDATE sessions SET last_seen_at = last_seen_at - interval '1 minute' WHERE id = $1::uuid RETURNING id`,
    second?.id,
  )
  const { epoch } = await world.epoch()
  await user.signIn()
  expect(await world.identify(second?.value ?? '')).toBeNull()
  expect(await world.identify(first?.value ?? '')).toMatchObject({ session_id: first?.id })
  expect((await world.epoch(epoch)).invalidated).toEqual([{ kind: 'session', id: second?.id }])
  expect((await tenant.events()).filter(({ type }) => type === 'identity.sessions.end')).toHaveLength(1)
})

test('ten sign-ins at once of a person with nine sessions: ten sessions', async () => {
  const tenant = await world.tenant()
  const user = await tenant.member()
  for (let i = 0; i < 9; i += 1) await user.signIn()
  await Promise.all(Array.from({ length: 10 }, () => user.signIn()))
  expect(await world.rows('SELECT id FROM sessions WHERE user_id = $1::uuid', user.id)).toHaveLength(10)
})
