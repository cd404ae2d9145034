import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import { processClock } from '../src/authorization/clock.ts'
import { createSessionCache } from '../src/authorization/session-cache.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const minuteMs = 60_000
const at = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString()
const context = { traceId: 'x' }
const key = { session_hash: 'a'.repeat(64) }

let nowMs: number
beforeEach(() => {
  nowMs = startMs
  jest.spyOn(Date, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  jest.restoreAllMocks()
})

/** A cache with a source whose session the test changes. It counts the loads. */
function controlled(first: Partial<SessionIdentity> = {}) {
  const state: { session: SessionIdentity | null; loads: number } = {
    loads: 0,
    session: {
      session_id: 's',
      user_id: 'u',
      tenant_id: 't',
      kind: 'browser',
      role_ids: [],
      authenticated_at: at(0),
      expires_at: at(720),
      idle_expires_at: at(60),
      idle_seconds: 3_600,
      ...first,
    },
  }
  const source = {
    identifySession: async () => {
      state.loads += 1
      return { session: state.session }
    },
    readVersion: async () => ({ incarnation: 'one', epoch: 0, invalidated: [], lease_ms: 1_000_000 }),
  }
  const cache = createSessionCache(source, { clock: processClock, sessionsMax: 10 })
  const isAccepted = async (atMinute: number) => {
    nowMs = startMs + atMinute * minuteMs
    await cache.acquire()
    return (await cache.get(key, context)) !== null
  }
  const use = async (atMinute: number) => {
    const accepted = await isAccepted(atMinute)
    if (accepted) cache.recordUse('s')
    return accepted
  }
  return { state, use, isAccepted }
}

describe('a cached session', () => {
  test('is idle an hour after the last use that this gateway or identity knows', async () => {
    const { state, use, isAccepted } = controlled()
    for (const minute of [1, 50, 105]) expect([minute, await use(minute)]).toEqual([minute, true])
    expect(state.loads).toBe(1)
    expect([await isAccepted(164), await isAccepted(165)]).toEqual([true, false])
  })

  test('that looks idle is loaded again, because another gateway may have seen a later use', async () => {
    const { state, isAccepted } = controlled()
    expect(await isAccepted(59)).toBe(true)
    if (state.session !== null) state.session = { ...state.session, idle_expires_at: at(100) }
    expect([await isAccepted(60), state.loads]).toEqual([true, 2])
    expect([await isAccepted(99), state.loads]).toEqual([true, 2])
    expect([await isAccepted(100), state.loads]).toEqual([false, 3])
  })

  test('ends at its end, in use or not, without a load', async () => {
    const { state, use } = controlled({ expires_at: at(90) })
    expect([await use(50), await use(89), await use(90)]).toEqual([true, true, false])
    expect(state.loads).toBe(1)
  })

  test('that is unknown is not cached', async () => {
    const { state, isAccepted } = controlled()
    const { session } = state
    state.session = null
    expect([await isAccepted(1), await isAccepted(2), state.loads]).toEqual([false, false, 2])
    state.session = session
    expect(await isAccepted(3)).toBe(true)
  })
})
