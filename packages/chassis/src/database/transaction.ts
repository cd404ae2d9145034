import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import type { FairPermits } from '../base/fair-permits.ts'
import type { Attributes } from '../observability/span.ts'
import { inSpan, tracing } from '../observability/trace.ts'
import { connectionWaitMsMax } from './pool.ts'

/**
 * **What it does.** Runs `work` in a transaction that sees the rows of one tenant, or of all tenants.
 *
 * **Guarantees.**
 * - A transaction without a tenant sees no row. The setting ends with the transaction.
 * - A deadlock (40P01) or serialization failure (40001) commits nothing. The transaction runs at most `attemptsMax`
 *   times. Every other error is thrown, including a session lost during COMMIT: its outcome is unknown.
 *
 * **Not guaranteed.** That `work` runs once: what `work` writes outside of the database may be written twice.
 */
export interface SqlTx {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>
}

/**
 * With `RepeatableRead` every query of the transaction reads the same snapshot. The default is a snapshot per query.
 */
interface Isolation {
  readonly isolationLevel?: 'RepeatableRead'
}

/** The methods of a database client that `transactions` calls. */
export interface TransactionClient<Tx> {
  $transaction<R>(
    work: (tx: Tx) => Promise<R>,
    options?: Isolation & { maxWait?: number; timeout?: number },
  ): Promise<R>
}

export interface Transactions<Tx extends SqlTx> {
  /** One transaction that sees and changes the rows of one tenant only. */
  inTenant<R>(tenantId: string, work: (tx: Tx) => Promise<R>, isolation?: Isolation): Promise<R>
  /** One transaction over all tenants: for sweepers, purges, searches by index, operators. */
  acrossTenants<R>(work: (tx: Tx) => Promise<R>): Promise<R>
}

const timeoutMs = 10_000
const attemptsMax = 4
/** The pause before the second attempt is random, up to this duration. The limit doubles with each attempt. */
const pauseMs = 25

/** Registered by `createMetrics`. */
export const transactionRetries = new Counter({
  name: 'database_transaction_retries_total',
  help: 'Transactions retried after a deadlock or a serialization failure',
  registers: [],
})

/** Registered by `createMetrics`. */
export const transactionsInProgress = new Gauge({
  name: 'database_transactions_in_progress',
  help: 'Transactions in progress, including those that wait for one of the connections of the process',
  registers: [],
})

const allTenants = '*'

/** The registered steps of each running transaction. */
const stepsBeforeCommit = new WeakMap<SqlTx, (() => Promise<void>)[]>()

/**
 * Runs `step` after the work of the transaction, immediately before the commit. For a lock that many transactions need:
 * the lock is held only for the commit, and no other lock is waited for meanwhile.
 * Throws if `tx` was not opened here or has ended, because the step would never run.
 */
export function beforeCommit(tx: SqlTx, step: () => Promise<void>): void {
  const steps = stepsBeforeCommit.get(tx)
  if (steps === undefined)
    throw new Error('beforeCommit: `transactions` did not open this transaction, or it has ended')
  steps.push(step)
}

export interface TransactionOptions {
  /** Runs after each commit, for example to wake the relay. It must not throw. */
  readonly afterCommit: () => void
  /** The connections of the pool, divided among the scopes. Default: no limit but the pool. */
  readonly permits?: Pick<FairPermits, 'tryAcquire' | 'acquire'>
  /** A transaction that gets no connection in this time is rejected. */
  readonly waitMsMax?: number
}

export function transactions<Tx extends SqlTx>(
  db: TransactionClient<Tx>,
  { afterCommit, permits, waitMsMax = connectionWaitMsMax }: TransactionOptions,
): Transactions<Tx> {
  const attempt = <R>(scope: string, work: (tx: Tx) => Promise<R>, isolation?: Isolation): Promise<R> =>
    db.$transaction(
      async (tx) => {
        await tx.$queryRawUnsafe(`SELECT set_config('app.tenant_id', $1, true)`, scope)
        const steps: (() => Promise<void>)[] = []
        stepsBeforeCommit.set(tx, steps)
        const result = await work(tx)
        stepsBeforeCommit.delete(tx)
        for (const step of steps) await step()
        return result
      },
      { maxWait: waitMsMax, timeout: timeoutMs, ...isolation },
    )
  const withPermit = async <R>(scope: string, work: (tx: Tx) => Promise<R>, isolation?: Isolation): Promise<R> => {
    const release = permits?.tryAcquire(scope) ?? (await permits?.acquire(scope))
    try {
      const result = await withRetries(() => attempt(scope, work, isolation))
      afterCommit()
      return result
    } finally {
      release?.()
    }
  }
  const inScope = async <R>(scope: string, work: (tx: Tx) => Promise<R>, isolation?: Isolation): Promise<R> => {
    transactionsInProgress.inc()
    try {
      if (tracing === undefined) return await withPermit(scope, work, isolation)
      return await inSpan('transaction', spanOptions, (add) => withPermit(scope, timed(work, add), isolation))
    } finally {
      transactionsInProgress.dec()
    }
  }
  return {
    inTenant: (tenantId, work, isolation) => inScope(tenantId, work, isolation),
    acrossTenants: (work) => inScope(allTenants, work),
  }
}

const spanOptions = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const

/** Adds to the span how long the last attempt waited for its permit and its connection. */
function timed<Tx, R>(work: (tx: Tx) => Promise<R>, add: (attributes: Attributes) => void): (tx: Tx) => Promise<R> {
  const calledAt = performance.now()
  return (tx) => {
    add({ 'payments.transaction.wait_ms': Math.round(performance.now() - calledAt) })
    return work(tx)
  }
}

async function withRetries<R>(attempt: () => Promise<R>): Promise<R> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (retries + 1 >= attemptsMax || !isRetryable(error)) throw error
      transactionRetries.inc()
      await delay(Math.random() * pauseMs * 2 ** retries)
    }
  }
}

const retriedCodes: ReadonlySet<unknown> = new Set(['40001', '40P01', 'P2034'])

/** Whether PostgreSQL rolled the transaction back because of a deadlock or a serialization failure. */
export function isRetryable(error: unknown): boolean {
  return someError(error, ({ code, originalCode }) => retriedCodes.has(code) || retriedCodes.has(originalCode))
}

interface ErrorFacts {
  readonly code?: unknown
  readonly originalCode?: unknown
  readonly message?: unknown
}

/**
 * Whether an error, or an error nested in it, matches. pg reports the SQLSTATE in `code`. Prisma reports P2034 for a
 * deadlock in a query of a model. For a raw query (P2010) or a commit, Prisma nests the error of the adapter:
 * `meta.driverAdapterError`, `cause`, `originalCode`.
 */
export function someError(error: unknown, matches: (error: ErrorFacts) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  if (matches(error)) return true
  const { cause, meta, driverAdapterError } = error as Record<string, unknown>
  return [cause, meta, driverAdapterError].some((inner) => someError(inner, matches, depth + 1))
}
