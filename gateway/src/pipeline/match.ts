import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Route, RouteTable } from '../route-table.ts'
import type { RequestContext } from './request-context.ts'

/** The response carries the allowed methods in `Allow` (RFC 9110, 15.5.6). */
export class MethodNotAllowed extends Problem {
  readonly allowed: readonly string[]

  constructor(allowed: readonly string[]) {
    super(commonProblems.method_not_allowed, { detail: `The path allows ${allowed.join(', ')}` })
    this.allowed = allowed
  }
}

/** Returns the route of the request, or undefined when no endpoint has the path. Throws MethodNotAllowed. */
export function match(routes: RouteTable, method: string, { path }: RequestContext): Route | undefined {
  const found = routes.match(method, path)
  if (found?.kind === 'other_method') throw new MethodNotAllowed(found.allowed)
  return found?.route
}
