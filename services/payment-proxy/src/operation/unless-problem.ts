import { Problem } from '@payments/contracts/grammar/problem'

/** The result of `work`, or null when it throws a Problem. */
export function unlessProblem<R>(work: () => R): R | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return null
    throw error
  }
}
