import { Problem } from '@payments/contracts/grammar/problem'

/** There is no session with the database, or it ended before the COMMIT. Nothing was committed. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'

  constructor(cause: unknown) {
    super('the database is not available', { cause })
  }
}

/** The error of a statement that was not sent, or of a transaction whose COMMIT was not sent. */
export function toUncommittedError(error: unknown): unknown {
  const isLost = !(error instanceof Problem) && someError(error, isConnectionFailure)
  return isLost ? new DatabaseUnavailable(error) : error
}

/** Of Node, PostgreSQL (shutting down, crashed, starting, connection exceptions), Prisma, and `kind` of its adapter. */
const connectionCodes =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|57P0[123]|08[0-9A-Z]{3}|P1001|P1008|P1017|DatabaseNotReachable|ConnectionClosed|SocketTimeout)$/

/** pg gives these errors no code. */
const connectionMessages = /^(Connection terminated|Client has encountered a connection error)/

export function isConnectionFailure({ code, originalCode, kind, message }: ErrorFacts): boolean {
  if ([code, originalCode, kind].some((one) => typeof one === 'string' && connectionCodes.test(one))) return true
  return typeof message === 'string' && connectionMessages.test(message)
}

interface ErrorFacts {
  readonly name?: unknown
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly kind?: unknown
  readonly message?: unknown
}

const depthMax = 8

/**
 * Whether an error, or an error nested in it, matches. pg reports the SQLSTATE in `code`. Prisma reports P2034 for a
 * deadlock in a query of a model. For a raw query (P2010) or a commit, Prisma nests the error of the adapter:
 * `meta.driverAdapterError`, `cause`, `originalCode`. Node tries several addresses, and nests each failure in `errors`.
 */
export function someError(error: unknown, matches: (error: ErrorFacts) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > depthMax) return false
  if (matches(error)) return true
  const { cause, errors, meta, driverAdapterError } = error as Record<string, unknown>
  const nested = [cause, meta, driverAdapterError, ...(Array.isArray(errors) ? errors : [])]
  return nested.some((inner) => someError(inner, matches, depth + 1))
}
