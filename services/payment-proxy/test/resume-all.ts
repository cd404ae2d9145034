import { setImmediate } from 'node:timers/promises'
import type { Turns } from '@payments/chassis/database/turns'
import type { Deps } from '../src/deps.ts'
import { createTurnsOfJobs } from '../src/operation/due-rows.ts'
import { startResumeLoop } from '../src/operation/resume-loop.ts'
import { createWorkPermits, type WorkPermits } from '../src/operation/work-permits.ts'
import { applyProviderEvents } from '../src/verbs/apply-provider-events.ts'
import { releaseExpiredAuthorizations } from '../src/verbs/release-expired-authorizations.ts'

/** Resumes due operations and waits for them. Returns their number. Throws the first failure. */
export async function resumeAll(deps: Deps): Promise<number> {
  const failures: unknown[] = []
  const error = (line: { err?: unknown }, message: string) => {
    if (/^(attempt not recorded|job failed)/.test(message)) failures.push(line.err)
    else deps.log.error(line, message)
  }
  const found = await countDue(deps)
  const loop = startResumeLoop({ ...deps, log: Object.create(deps.log, { error: { value: error } }) })
  while ((await countDue(deps)) > 0 && failures.length === 0) await setImmediate()
  await loop.stop()
  if (failures.length > 0) throw failures[0]
  return found
}

/** Without operations that another process has locked: the loop skips them. */
async function countDue({ db, now }: Deps): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM (
    SELECT 1 FROM operations WHERE due_at <= $1 FOR UPDATE SKIP LOCKED) AS free`
  const [row] = await db.crossTenant.$queryRawUnsafe<[{ count: number }]>(sql, now())
  return row.count
}

/** Applies a batch of provider events and waits for their captures. Returns their number. Throws the first failure. */
export const applyAll = (deps: Deps, turns: Turns = createTurnsOfJobs().events) =>
  untilSettled((permits) => applyProviderEvents(deps, permits, turns))

/** Releases expired authorizations and waits for the providers. Returns their number. Throws the first failure. */
export const releaseAll = (deps: Deps) => untilSettled((permits) => releaseExpiredAuthorizations(deps, permits))

async function untilSettled(work: (permits: WorkPermits) => Promise<number>): Promise<number> {
  const failures: unknown[] = []
  const log = { error: ({ err }: { err: unknown }) => failures.push(err) } as unknown as Deps['log']
  const permits = createWorkPermits('test', log)
  const count = await work(permits)
  await permits.settled()
  if (failures.length > 0) throw failures[0]
  return count
}
