/**
 * Tells "what we depend on is away" from "this message hits a bug". The first must not use up a message's deliveries: a
 * database that restarts for a minute would send every message in work to quarantine.
 */
const codes = new Set([
  // Sockets and name resolution, as Node names them.
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
  // Prisma: cannot reach, timed out, closed, no connection free in the pool.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  // Prisma's driver adapters, which name the same things by kind.
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
])

/** pg and its pool throw these without a code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

const depthMax = 8

/**
 * Looks along `cause`, into AggregateErrors (Node tries several addresses and reports them together) and to where Prisma puts
 * the driver's error of a raw query, whose own code says only that a raw query failed.
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
