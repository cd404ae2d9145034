import { afterEach, expect, test } from '@jest/globals'
import { createPause } from '../src/base/deadline.ts'
import { createNotes } from '../src/base/notes.ts'
import { Commits } from '../src/database/transaction.ts'
import { createLog } from '../src/observability/log.ts'
import { everyResting, type Scheduled, startFlushes } from '../src/process/schedule.ts'
import { whenDue } from '../src/process/when-due.ts'

const log = createLog('library', 'silent')
/** Longer than a test may last. */
const never = 600_000

const started: Scheduled[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()))
})

/** Counts calls; `reached` resolves with the time of a call. */
function counter() {
  let calls = 0
  const waiting = new Map<number, (at: number) => void>()
  return {
    calls: () => calls,
    reached: (call: number) => new Promise<number>((resolve) => waiting.set(call, resolve)),
    count: async () => {
      calls += 1
      waiting.get(calls)?.(performance.now())
    },
  }
}

/** A job of rows that are due at `dueAt`, by the clock of the process. A run makes no row wait. */
function dueJob(waits: { intervalMs: number; restMsMax: number }) {
  const rows = { dueAt: Number.POSITIVE_INFINITY }
  const [looks, runs] = [counter(), counter()]
  const commits = new Commits()
  const nextDue = async () => {
    await looks.count()
    return rows.dueAt === Number.POSITIVE_INFINITY ? null : rows.dueAt - performance.now()
  }
  const job = whenDue({ name: 'rows', nextDue, signals: commits, log, ...waits }, async () => {
    rows.dueAt = Number.POSITIVE_INFINITY
    await runs.count()
  })
  started.push(job)
  return { job, rows, looks, runs, commits }
}

test('a job runs once at the start, and then pauses while no row waits', async () => {
  const { looks, runs } = dueJob({ intervalMs: 1, restMsMax: never })
  await looks.reached(1)
  expect(runs.calls()).toBe(1)
})

test('a row that waits runs at its due time, not before', async () => {
  const { rows, looks, runs } = dueJob({ intervalMs: 20, restMsMax: never })
  const ran = runs.reached(2)
  await runs.reached(1)
  const dueAt = performance.now() + 200
  rows.dueAt = dueAt
  expect(await ran).toBeGreaterThanOrEqual(dueAt)
  // One look after the first run, and one at the due time, which a timer may precede by a millisecond.
  expect(looks.calls()).toBeLessThanOrEqual(4)
})

test('a commit of the process is followed by a look after the interval', async () => {
  const { rows, looks, runs, commits } = dueJob({ intervalMs: 1, restMsMax: never })
  await looks.reached(1)
  const ran = runs.reached(2)
  rows.dueAt = 0
  commits.reportCommit({})
  expect(await ran).toBeGreaterThan(0)
})

test('a wake starts a run at once', async () => {
  const { job, looks, runs } = dueJob({ intervalMs: 1, restMsMax: never })
  await looks.reached(1)
  const ran = runs.reached(2)
  job.wake()
  expect(await ran).toBeGreaterThan(0)
})

test('a row of another process is found after the rest', async () => {
  const { rows, looks, runs } = dueJob({ intervalMs: 1, restMsMax: 50 })
  await looks.reached(1)
  const ran = runs.reached(2)
  rows.dueAt = 0
  expect(await ran).toBeGreaterThan(0)
})

test('a failed look and a failed run are repeated after the interval', async () => {
  const looks = counter()
  const runs = counter()
  const nextDue = async () => {
    await looks.count()
    if (looks.calls() === 1) throw new Error('the database is away')
    return 0
  }
  const ranAgain = runs.reached(3)
  const waiting = { name: 'rows', nextDue, signals: new Commits(), log, intervalMs: 1, restMsMax: never }
  started.push(
    whenDue(waiting, async () => {
      await runs.count()
      throw new Error('the provider is away')
    }),
  )
  await ranAgain
  expect(looks.calls()).toBeGreaterThanOrEqual(3)
})

test('notes until a flush share it, a failed flush is repeated, and a stop flushes the last notes', async () => {
  const runs = counter()
  const written: number[] = []
  const notes = createNotes<number>({
    write: async (all) => {
      await runs.count()
      if (runs.calls() === 1) throw new Error('the database is away')
      written.push(...all)
    },
    merge: (earlier, later) => earlier + later,
    notesMax: 10,
  })
  const again = runs.reached(2)
  const flushes = startFlushes(1, 'flush', log, notes)
  for (let added = 0; added < 3; added += 1) notes.add('a', 1)
  await again
  notes.add('b', 1)
  await flushes.stop()
  expect(written).toEqual([3, 1])
})

test('a job that pauses runs soon when something happens', async () => {
  const runs = counter()
  const first = runs.reached(1)
  const renewals = everyResting({ intervalMs: 1, restMs: never }, 'renew', log, runs.count)
  started.push(renewals)
  await first
  const second = runs.reached(2)
  renewals.soon()
  expect(await second).toBeGreaterThan(0)
})

test('a pause ends with true when it is woken, else with false, and no wake before it is lost', async () => {
  const pause = createPause()
  pause.wakeWithin(1)
  expect(await pause.wait(never)).toBe(false)
  pause.wake()
  expect(await pause.wait(never)).toBe(true)
  const waiting = pause.wait(never)
  pause.wakeWithin(1)
  expect(await waiting).toBe(false)
})
