import { commonProblems, Problem } from '@payments/contracts/problem'

/** How often one actor may ask for secrets, whatever comes of it. */
export const revealLimit = { countMax: 5, windowSeconds: 60 }

/** The refusal of one more; `waitSeconds` until the next is allowed. */
export function tooManyReveals(waitSeconds: number): Problem {
  const detail = `Secrets may be revealed ${revealLimit.countMax} times a minute`
  return new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds: waitSeconds })
}
