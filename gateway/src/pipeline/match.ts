import { commonProblems, Problem } from '@payments/contracts/problem'
import type { Request, Response } from 'express'
import type { Route, RouteTable } from '../route-table.ts'
import type { Exchange } from './request-context.ts'

/** The route of the request, or undefined where the path is none of an endpoint. Throws method_not_allowed. */
export function match(routes: RouteTable, request: Request, response: Response, exchange: Exchange): Route | undefined {
  const found = routes.match(request.method, exchange.path)
  if (found?.kind === 'other_method') {
    response.setHeader('Allow', found.allowed.join(', '))
    throw new Problem(commonProblems.method_not_allowed)
  }
  exchange.route = found?.route
  return found?.route
}
