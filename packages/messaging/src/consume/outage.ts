import { isConnectionFailure, someError } from '@payments/chassis/database/errors'
import { commonProblems } from '@payments/contracts/grammar/problem'

/** Codes of an unavailable dependency, beside the codes of `isConnectionFailure`. */
const codes = new Set<unknown>([
  // PostgreSQL: too many connections, out of resources.
  ...['53000', '53100', '53200', '53300'],
  // PostgreSQL: no such table, column, function or unique index. During a rollout, a process of the new version runs
  // until its migration is applied, and one of the previous version after that.
  ...['42P01', '42703', '42883', '42P10'],
  // Prisma: timed out, no free connection in the pool; no such table or column.
  ...['P1002', 'P2024', 'P2021', 'P2022'],
  // Driver adapters of Prisma, in `kind`.
  ...['TooManyConnections', 'TableDoesNotExist', 'ColumnNotFound'],
  // The Problem of a call to another service that cannot be reached.
  commonProblems.service_unavailable.code,
])

/** Of the pool of pg, which gives the error no code. */
const noConnection = /^timeout exceeded when trying to connect/

/**
 * Whether the error, or one nested in it, means that a dependency is unavailable. Such an error must not use up
 * deliveries of a message: a database that restarts for a minute would otherwise send every message in progress to
 * quarantine.
 */
export function isOutage(error: unknown): boolean {
  return someError(error, (facts) => {
    const { name, code, kind, message } = facts
    if (name === 'PublishError' || codes.has(code) || codes.has(kind)) return true
    return isConnectionFailure(facts) || (typeof message === 'string' && noConnection.test(message))
  })
}
