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

test.each<[OperationState, Operation['action'], number, string, number | null]>([
  ['action_required', hasTime, 0, 'action_required', null],
  ['in_progress', hasTime, 0, 'action_required', null],
  ['action_required', isOver, 0, 'unknown', null],
  ['in_progress', isOver, 0, 'unknown', null],
  ['unknown', isOver, 0, 'unknown', null],
  ['in_progress', isOver, dayMs, 'needs_review', null],
  ['unknown', isOver, dayMs, 'needs_review', null],
  ['pending', hasTime, 0, 'pending', null],
  ['pending', isOver, dayMs, 'needs_review', null],
  ['pending', isOver, dayMs, 'pending', 0],
  ['in_progress', null, dayMs, 'in_progress', null],
  ['unknown', null, dayMs - 1, 'unknown', null],
  ['unknown', null, dayMs, 'needs_review', null],
  ['pending', null, dayMs - 1, 'pending', null],
  ['pending', null, dayMs, 'needs_review', null],
  ['pending', null, 3 * dayMs, 'pending', dayMs - 1],
  ['pending', null, 3 * dayMs, 'needs_review', dayMs],
  ['unknown', null, 3 * dayMs, 'needs_review', 0],
  ['succeeded', null, 3 * dayMs, 'succeeded', dayMs],
])(
  '%s with %j after %d ms is shown, and found, as %s (reported %p ms ago)',
  async (state, action, ageMs, shown, reportedMs) => {
    const createdAt = before(ageMs)
    const pendingReportedAt = reportedMs === null ? null : before(reportedMs)
    expect(presentState({ state, action, pendingReportedAt, createdAt }, now)).toBe(shown)
    const json = action === null ? null : JSON.stringify(action)
    const rows = await world.deps.db.acrossTenants(
      (tx) => tx.$queryRaw`
      SELECT ${shownState(now)} AS "shown" FROM (SELECT ${state}::"OperationState" AS state, ${json}::jsonb AS action,
        ${pendingReportedAt}::timestamptz AS pending_reported_at, ${createdAt}::timestamptz AS created_at) AS operations`,
    )
    expect(rows).toEqual([{ shown }])
  },
)
