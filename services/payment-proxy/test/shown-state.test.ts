import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Operation, type OperationState, presentState } from '../src/domain/operation.ts'
import { shownState } from '../src/store/operations.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const now = new Date('2026-11-22T12:00:00.000Z')
const dayMs = 24 * 60 * 60 * 1000
const before = (ms: number) => new Date(now.getTime() - ms)
const until = (date: Date) => ({ type: 'redirect', url: 'https://bank.test', expires_at: date.toISOString() }) as const
const hasTime = until(before(-1))
const isOver = until(now)

test.each<[OperationState, Operation['action'], number, string]>([
  ['action_required', hasTime, 0, 'action_required'],
  ['in_progress', hasTime, 0, 'action_required'],
  ['action_required', isOver, 0, 'unknown'],
  ['in_progress', isOver, 0, 'unknown'],
  ['unknown', isOver, 0, 'unknown'],
  ['in_progress', isOver, dayMs, 'needs_review'],
  ['unknown', isOver, dayMs, 'needs_review'],
  ['pending', hasTime, 0, 'pending'],
  ['pending', isOver, dayMs, 'pending'],
  ['in_progress', null, dayMs, 'in_progress'],
  ['unknown', null, dayMs - 1, 'unknown'],
  ['unknown', null, dayMs, 'needs_review'],
  ['pending', null, dayMs, 'pending'],
])('%s with %j after %d ms is shown, and found, as %s', async (state, action, ageMs, shown) => {
  const createdAt = before(ageMs)
  expect(presentState({ state, action, createdAt }, now)).toBe(shown)
  const json = action === null ? null : JSON.stringify(action)
  const rows = await world.deps.db.acrossTenants(
    (tx) => tx.$queryRaw`
      SELECT ${shownState(now)} AS "shown" FROM (SELECT ${state}::"OperationState" AS state, ${json}::jsonb AS action,
        ${createdAt}::timestamptz AS created_at) AS operations`,
  )
  expect(rows).toEqual([{ shown }])
})
