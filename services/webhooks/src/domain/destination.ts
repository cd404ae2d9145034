import { Problem } from '@payments/contracts/problem'
import { problems } from '@payments/contracts/webhooks'

/** Throws destination_not_allowed when there is a violation. */
export function rejectDestination(violation: string | undefined, pointer: string): void {
  if (violation === undefined) return
  throw new Problem(problems.destination_not_allowed, { detail: violation, errors: [{ pointer, detail: violation }] })
}
