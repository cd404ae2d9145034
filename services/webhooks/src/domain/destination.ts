import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/webhooks/contract'

/** Throws destination_not_allowed when there is a violation. */
export function rejectDestination(violation: string | undefined, pointer: string): void {
  if (violation === undefined) return
  throw new Problem(problems.destination_not_allowed, { detail: violation, errors: [{ pointer, detail: violation }] })
}
