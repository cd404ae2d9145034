import { afterEach, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { createKnownCallers } from '../src/limits/known-callers.ts'
import { consoleOrigin, headersOfConsole, startWorld, type World } from './world.ts'

/** A caller that was verified at an address, beside strangers at the same address. */
let world: World | undefined
afterEach(async () => {
  await world?.stop()
  world = undefined
})

const path = '/v1/api-key/keys?limit=1'

describe('strangers at the address of a caller', () => {
  test('do not block its verified credential with wrong ones; a credential that is new there is blocked', async () => {
    world = await startWorld({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '3' } })
    const [known, unknown] = [await world.tenant(), await world.tenant()]
    await world.send('get', path, known.admin).expect(200)
    const statuses = []
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await world.send('get', path, { ...known.admin, bearer: 'guess' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
    await world.send('get', path, known.admin).expect(200)
    await world.send('get', path, unknown.admin).expect(429)
  })

  test('do not close a signed-in browser out of its pages', async () => {
    world = await startWorld({ env: { UNVERIFIED_REQUESTS_PER_MINUTE: '3' } })
    const tenant = await world.tenant()
    const person = await world.identity.signIn({ tenantId: tenant.id, roleIds: [tenant.adminRole], kind: 'browser' })
    await request(world.url).get(path).set(headersOfConsole(person.value)).expect(200)
    const page = (cookie: string) =>
      request(String(world?.url))
        .get('/console')
        .set({ Host: new URL(consoleOrigin).host, Cookie: `__Host-session=${cookie}` })
    for (let i = 0; i < 3; i += 1) await page('guess')
    expect((await page('guess')).status).toBe(429)
    const statuses = []
    for (let i = 0; i < 4; i += 1) statuses.push((await page(person.value)).status)
    expect(statuses.map((status) => status === 429)).toEqual([false, false, false, true])
  })
})

test('a caller is known at its address only, for an hour, until it is rejected', () => {
  let nowMs = 0
  const known = createKnownCallers({ now: () => nowMs })
  const has = (address: string, credential: string) => known.find(address, credential)?.hasEnded === false
  known.record('192.0.2.1', 'one', 'a')
  expect([has('192.0.2.1', 'one'), has('192.0.2.2', 'one')]).toEqual([true, false])
  known.record('2001:db8::1', 'two', 'a')
  expect(has('2001:db8::2', 'two')).toBe(true)
  known.end('2001:db8::1', 'two')
  expect(known.find('2001:db8::2', 'two')).toMatchObject({ hasEnded: true })
  expect(known.find('192.0.2.1', 'no')).toBeUndefined()
  nowMs = 40 * 60_000
  known.record('192.0.2.1', 'one', 'a')
  nowMs = 99 * 60_000
  expect(has('192.0.2.1', 'one')).toBe(true)
  nowMs = 101 * 60_000
  expect(has('192.0.2.1', 'one')).toBe(false)
})

test('a tenant has at most a quarter of the callers, and evicts none of another tenant', () => {
  const known = createKnownCallers({ callersMax: 40 })
  const has = (address: string, credential: string) => known.find(address, credential) !== undefined
  known.record('192.0.2.1', 'one', 'a')
  for (let i = 0; i < 1_000; i += 1) known.record('192.0.2.9', String(i), 'b')
  expect(has('192.0.2.1', 'one')).toBe(true)
  const count = Array.from({ length: 1_000 }, (_, i) => has('192.0.2.9', String(i))).filter(Boolean).length
  expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThanOrEqual(10)
})
