import { commonProblems } from '@payments/contracts/grammar/problem'

/**
 * Error codes of an unavailable dependency. Such an error must not use up deliveries of a message: a database that
 * restarts for a minute would otherwise send every message in progress to quarantine.
 */
const codes = new Set<string>([
  // Node: sockets and name resolution.
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  // PostgreSQL: shutting down, crashed, starting, too many connections, out of resources.
  '57P01',
  '57P02',
  '57P03',
  '53000',
  '53100',
  '53200',
  '53300',
  // PostgreSQL: no such table, column, function or unique index. During a rollout, a process of the new version runs
  // until its migration is applied, and one of the previous version after that.
  ...['42P01', '42703', '42883', '42P10'],
  // Prisma: unreachable, timed out, closed, no free connection in the pool.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  // Prisma: no such table or column.
  ...['P2021', 'P2022'],
  // Driver adapters of Prisma, in `kind`.
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  ...['TableDoesNotExist', 'ColumnNotFound'],
  // The Problem of a call to another service that cannot be reached.
  commonProblems.service_unavailable.code,
])

/** Errors of pg and its pool that have no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

const depthMax = 8

/**
 * Whether the error means that a dependency is unavailable. Follows `cause`, AggregateErrors (Node tries several
 * addresses and reports all failures), and the error of the driver that Prisma nests in the error of a raw query.
 */
export function isOutage(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > depthMax) return false
  const { name, code, kind, message, cause, errors, meta, driverAdapterError } = error as Record<string, unknown>
  if (name === 'PublishError') return true
  if (isOutageCode(code) || isOutageCode(kind)) return true
  if (typeof message === 'string' && messages.test(message)) return true
  if (Array.isArray(errors) && errors.some((inner) => isOutage(inner, depth + 1))) return true
  return [cause, meta, driverAdapterError].some((inner) => isOutage(inner, depth + 1))
}

/** SQLSTATE class 08 is "connection exception". */
function isOutageCode(code: unknown): boolean {
  return typeof code === 'string' && (codes.has(code) || /^08[0-9A-Z]{3}$/.test(code))
}
