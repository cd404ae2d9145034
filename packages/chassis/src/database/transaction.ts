import { setTimeout as delay } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import type { FairPermits } from '../base/fair-permits.ts'
import type { Attributes } from '../observability/span.ts'
import { inSpan, tracing } from '../observability/trace.ts'
import { someError, toUncommittedError } from './errors.ts'
import { connectionWaitMsMax } from './pool.ts'
import { allTenants, type Scope, scopes } from './scope.ts'
import type { Statement } from './statement.ts'

/**
 * **What it does.** Runs `work` in a transaction that sees the rows of one tenant, or of all tenants.
 *
 * **Guarantees.**
 * - A transaction without a tenant sees no row. The setting ends with the transaction.
 * - A deadlock (40P01) or serialization failure (40001) commits nothing. The transaction runs at most `attemptsMax`
 *   times. Every other error is thrown, including a session lost during COMMIT: its outcome is unknown.
 * - `DatabaseUnavailable`: no session, or one lost before COMMIT. Nothing was committed.
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

/** The methods of a database client that `transactions` calls. A `SessionPool` has its sessions. */
export interface TransactionClient<Tx> {
  $transaction<R>(work: (tx: Tx) => Promise<R>, options?: { maxWait?: number; timeout?: number }): Promise<R>
}

export interface Transactions<Tx extends SqlTx> {
  /** One transaction that sees and changes the rows of one tenant only. */
  inTenant<R>(tenantId: string, work: (tx: Tx) => Promise<R>, isolation?: Isolation): Promise<R>
  /** One transaction over all tenants: for sweepers, purges, searches by index, operators. */
  acrossTenants<R>(work: (tx: Tx) => Promise<R>): Promise<R>
  /**
   * Reads rows of one tenant without a transaction around the reads: one round trip for each. For one read, or for
   * reads that need no common snapshot. `work` must not write.
   */
  readInTenant<R>(tenantId: string, work: (tx: Tx) => Promise<R>): Promise<R>
  /**
   * Runs statements of one tenant in one round trip and one transaction: all of them commit, or none. Returns the rows
   * of each. No statement can use the rows of another one; a condition in SQL can. With `allTenants`, the statements
   * see the rows of all tenants.
   */
  pipelined<R extends readonly Rows[] = readonly Rows[]>(tenantId: string, statements: readonly Statement[]): Promise<R>
}

/** The rows of a statement, as `pg` reads them: a bigint as a string. */
type Rows = readonly object[]

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

/** The commits of a process. The relay of the process listens to them, and jobs watch for work that became due. */
export class Commits {
  #listener: ((transaction: object) => void) | undefined
  readonly #watchers = new Set<() => void>()

  /** `listener` is called after each commit, with the transaction. It must not throw. */
  listen(listener: (transaction: object) => void): void {
    this.#listener = listener
  }

  /**
   * `watcher` is called after each commit, also of a transaction that only read, but not after statements over all
   * tenants outside of `acrossTenants`. It must not throw. Returns the function that ends the watch.
   */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  reportCommit(transaction: object): void {
    this.#listener?.(transaction)
    this.wakeWatchers()
  }

  /** A pipelined transaction of one tenant has committed. It is not reported: its verb hands over its event. */
  wakeWatchers(): void {
    for (const watcher of this.#watchers) watcher()
  }
}

const commitsByTransaction = new WeakMap<object, Commits>()

/** The `Commits` that will report the commit of `tx`. Undefined for a transaction that was not opened here. */
export function findCommits(tx: SqlTx): Commits | undefined {
  return commitsByTransaction.get(tx)
}

export interface TransactionOptions<Tx> {
  readonly commits: Commits
  /** Runs statements in one round trip, for `pipelined`. */
  readonly pipeline?: (tenantId: string, statements: readonly Statement[]) => Promise<readonly { rows: Rows }[]>
  /** The client outside of a transaction, for `readInTenant`. */
  readonly reader?: Tx
  /** The connections of the pool, divided among the scopes. Default: no limit but the pool. */
  readonly permits?: Pick<FairPermits, 'tryAcquire' | 'acquire'>
  /** A transaction that gets no connection in this time is rejected. */
  readonly waitMsMax?: number
}

export function transactions<Tx extends SqlTx>(
  db: TransactionClient<Tx>,
  options: TransactionOptions<Tx>,
): Transactions<Tx> {
  const { commits, permits, pipeline, reader, waitMsMax = connectionWaitMsMax } = options
  const limits = { maxWait: waitMsMax, timeout: timeoutMs }
  const attempt = <R>(scope: Scope, work: (tx: Tx) => Promise<R>): Promise<R> =>
    scopes.run(scope, async () => {
      let committing: Tx | undefined
      const body = async (tx: Tx) => {
        const steps: (() => Promise<void>)[] = []
        stepsBeforeCommit.set(tx, steps)
        commitsByTransaction.set(tx, commits)
        const worked = await work(tx)
        stepsBeforeCommit.delete(tx)
        for (const step of steps) await step()
        committing = tx
        return worked
      }
      const result = await db.$transaction(body, limits).catch((error) => rethrow(error, committing !== undefined))
      if (committing !== undefined) commits.reportCommit(committing)
      return result
    })
  /** Runs `work` with a permit of the tenant. */
  const withPermit = async <R>(tenantId: string, work: () => Promise<R>): Promise<R> => {
    transactionsInProgress.inc()
    try {
      const release = permits?.tryAcquire(tenantId) ?? (await permits?.acquire(tenantId))
      try {
        return await withRetries(work)
      } finally {
        release?.()
      }
    } finally {
      transactionsInProgress.dec()
    }
  }
  const withSpan = <R>(name: string, work: (add: AddAttributes) => Promise<R>): Promise<R> =>
    tracing === undefined ? work(() => {}) : inSpan(name, spanOptions, work)
  const inScope = <R>(scope: Scope, work: (tx: Tx) => Promise<R>): Promise<R> =>
    withSpan('transaction', (add) => {
      const timedWork = tracing === undefined ? work : recordWait(work, add)
      return withPermit(scope.tenantId, () => attempt(scope, timedWork))
    })
  return {
    inTenant: (tenantId, work, { isolationLevel } = {}) =>
      inScope({ tenantId, of: 'transaction', isolationLevel }, work),
    acrossTenants: (work) => inScope({ tenantId: allTenants, of: 'transaction', isolationLevel: undefined }, work),
    readInTenant: (tenantId, work) => {
      if (reader === undefined) throw new Error('this database has no client outside of transactions')
      const scope: Scope = { tenantId, of: 'statement', isolationLevel: undefined }
      // Prisma sends a statement when its promise is awaited, hence inside of the scope.
      const run = () => scopes.run(scope, async () => await work(reader))
      const read = () => run().catch((error) => rethrow(error, false))
      return withSpan('read', () => withPermit(tenantId, read))
    },
    pipelined: <R extends readonly Rows[]>(tenantId: string, statements: readonly Statement[]) => {
      if (pipeline === undefined) throw new Error('this database has no pipeline')
      return withSpan('transaction', (add) => {
        const run = async () => {
          const results = await pipeline(tenantId, statements)
          if (tenantId !== allTenants) commits.wakeWatchers()
          return results.map(({ rows }) => rows) as unknown as R
        }
        return withPermit(tenantId, tracing === undefined ? run : recordWait(run, add))
      })
    },
  }
}

function rethrow(error: unknown, isCommitting: boolean): never {
  throw isCommitting ? error : toUncommittedError(error)
}

type AddAttributes = (attributes: Attributes) => void

const spanOptions = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const

/** Adds to the span how long the last attempt waited for its permit and its connection. */
function recordWait<Args extends unknown[], R>(
  work: (...args: Args) => Promise<R>,
  add: AddAttributes,
): (...args: Args) => Promise<R> {
  const calledAt = performance.now()
  return (...args) => {
    add({ 'payments.transaction.wait_ms': Math.round(performance.now() - calledAt) })
    return work(...args)
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
