import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { Match, Route } from '../route-table.ts'

/** The response carries the allowed methods in `Allow` (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends Problem {
  readonly allowed: readonly string[]

  constructor(allowed: readonly string[]) {
    super(commonProblems.method_not_allowed, { detail: `The path allows ${allowed.join(', ')}` })
    this.allowed = allowed
  }
}

/** Returns the route that was found, or undefined when no endpoint has the path. Throws MethodNotAllowed. */
export function requireMethod(found: Match | undefined): Route | undefined {
  if (found?.kind === 'other_method') throw new MethodNotAllowed(found.allowed)
  return found?.route
}
