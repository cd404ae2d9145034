import type { Deps } from '../src/deps.ts'
import { createWorkPermits } from '../src/operation/work-permits.ts'
import { resumeOpenOperations } from '../src/verbs/resume-open-operations.ts'

/** Resumes due operations and waits for them. Returns their number. Throws the first failure. */
export async function resumeAll(deps: Deps): Promise<number> {
  const failures: unknown[] = []
  const log = { error: ({ err }: { err: unknown }) => failures.push(err) } as unknown as Deps['log']
  const permits = createWorkPermits('test', log)
  const count = await resumeOpenOperations(deps, permits)
  await permits.settled()
  if (failures.length > 0) throw failures[0]
  return count
}
