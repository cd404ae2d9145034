import { NoConnection } from '../database/connection-permits.ts'
import { DatabaseUnavailable, someError } from '../database/errors.ts'
import { isRetryable } from '../database/transaction.ts'

/**
 * Why the database was away or too busy: no session, a time-out of the pool, a transaction or a statement, too many
 * sessions, or the last of the attempts after conflicts. Undefined for every other error. The failed transaction
 * committed nothing.
 */
export function findOverload(error: unknown): string | undefined {
  return overloads.find(([, matches]) => someError(error, matches))?.[0]
}

type Facts = Parameters<Parameters<typeof someError>[1]>[0]

/** pg-pool and Prisma's P2028 distinguish their errors by the message only. */
const overloads: readonly [reason: string, matches: (error: Facts) => boolean][] = [
  ['the database is not available', (error) => error instanceof DatabaseUnavailable],
  ['no session in time', (error) => error instanceof NoConnection],
  ['no session in time', ({ message }) => poolTimeouts.has(message)],
  ['no session in time', ({ code, message }) => code === 'P2028' && /Unable to start/.test(String(message))],
  ['too many sessions', ({ code, originalCode }) => [code, originalCode].includes('53300')],
  ['a transaction took too long', ({ code, message }) => code === 'P2028' && /expired/.test(String(message))],
  ['a statement took too long', ({ code, originalCode }) => [code, originalCode].includes('57014')],
  ['conflicts with concurrent transactions', isRetryable],
]

const poolTimeouts: ReadonlySet<unknown> = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
])
