import { commonProblems, Problem } from '@payments/contracts/problem'

/** Maximum reveal requests of one actor, successful or not. */
export const revealLimit = { countMax: 5, windowSeconds: 60 }

/** The problem of a reveal above the limit. `waitSeconds`: until the next one is allowed. */
export function tooManyReveals(waitSeconds: number): Problem {
  const detail = `The actor has made ${revealLimit.countMax} reveal requests in the last ${revealLimit.windowSeconds} s`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds: waitSeconds })
}
