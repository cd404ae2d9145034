import type { Turns } from '@payments/chassis/database/turns'
import type { Deps } from '../src/deps.ts'
import { createTurnsOfJobs } from '../src/operation/turns.ts'
import { createWorkPermits, type WorkPermits } from '../src/operation/work-permits.ts'
import { applyProviderEvents } from '../src/verbs/apply-provider-events.ts'
import { releaseExpiredAuthorizations } from '../src/verbs/release-expired-authorizations.ts'
import { resumeOpenOperations } from '../src/verbs/resume-open-operations.ts'

/** Resumes due operations and waits for them. Returns their number. Throws the first failure. */
export const resumeAll = (deps: Deps, turns: Turns = createTurnsOfJobs().operations) =>
  untilSettled((permits) => resumeOpenOperations(deps, permits, turns))

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
