import { setTimeout as delay } from 'node:timers/promises'
import { Counter } from 'prom-client'

/**
 * Transactions, and who may see what in them. Every table with a tenant has a row-level policy that compares its
 * tenant_id with the setting `app.tenant_id`; a transaction that sets nothing sees nothing.
 *
 * A transaction that PostgreSQL ended because of others is run again, `attemptsMax` times in all: a deadlock (40P01) or a
 * serialization failure (40001). Both mean that nothing was committed. Every other error is thrown at once, a session lost
 * during COMMIT included: its outcome is not known. So `work` must bear to be run again: what it writes outside of the
 * database, it may write twice.
 */
export interface SqlTx {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>
}

/** What `transactions` needs of a database client. */
export interface TransactionClient<Tx> {
  $transaction<R>(work: (tx: Tx) => Promise<R>, options?: { maxWait?: number; timeout?: number }): Promise<R>
}

export interface Transactions<Tx extends SqlTx> {
  /** One transaction that sees and changes the rows of one tenant only. */
  inTenant<R>(tenantId: string, work: (tx: Tx) => Promise<R>): Promise<R>
  /** One transaction over every tenant: for the relay, sweepers, look-ups by handle, operators. */
  acrossTenants<R>(work: (tx: Tx) => Promise<R>): Promise<R>
}

const limits = { maxWait: 5_000, timeout: 10_000 }
const attemptsMax = 4
/** The pause before a further attempt is random, up to this, twice this, four times this. */
const pauseMs = 25

/** Registered by `createMetrics`. */
export const transactionRetries = new Counter({
  name: 'database_transaction_retries_total',
  help: 'Transactions run again after a deadlock or a serialization failure',
  registers: [],
})

const everyTenant = '*'

/** The last steps of the transactions in work. */
const lastSteps = new WeakMap<SqlTx, (() => Promise<void>)[]>()

/**
 * Runs `step` when the work of the transaction is done, as the last thing before the commit. For locks that everybody wants:
 * held for a commit, not for a transaction, and never while another lock is waited for.
 * Throws where `tx` was not opened here or has ended: the step would never run.
 */
export function beforeCommit(tx: SqlTx, step: () => Promise<void>): void {
  const steps = lastSteps.get(tx)
  if (steps === undefined) throw new Error('beforeCommit: not a transaction that `transactions` opened')
  steps.push(step)
}

/** `afterCommit` runs after each commit, e.g. to wake the relay; it must not throw. */
export function transactions<Tx extends SqlTx>(db: TransactionClient<Tx>, afterCommit: () => void): Transactions<Tx> {
  const attempt = <R>(scope: string, work: (tx: Tx) => Promise<R>): Promise<R> =>
    db.$transaction(async (tx) => {
      await tx.$queryRawUnsafe(`SELECT set_config('app.tenant_id', $1, true)`, scope)
      const steps: (() => Promise<void>)[] = []
      lastSteps.set(tx, steps)
      const done = await work(tx)
      lastSteps.delete(tx)
      for (const step of steps) await step()
      return done
    }, limits)
  const as = async <R>(scope: string, work: (tx: Tx) => Promise<R>): Promise<R> => {
    const result = await retried(() => attempt(scope, work))
    afterCommit()
    return result
  }
  return {
    inTenant: (tenantId, work) => as(tenantId, work),
    acrossTenants: (work) => as(everyTenant, work),
  }
}

async function retried<R>(attempt: () => Promise<R>): Promise<R> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (retries + 1 >= attemptsMax || !isRolledBackForOthers(error)) throw error
      transactionRetries.inc()
      await delay(Math.random() * pauseMs * 2 ** retries)
    }
  }
}

const retriedCodes: ReadonlySet<unknown> = new Set(['40001', '40P01', 'P2034'])

/**
 * Whether PostgreSQL rolled the transaction back for a deadlock or a serialization failure. pg says so in `code`; Prisma by
 * P2034 for a query of a model, and for a raw one (P2010) or a commit by the adapter's error: `meta.driverAdapterError`,
 * `cause`, `originalCode`.
 */
export function isRolledBackForOthers(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false
  const { code, originalCode, cause, meta, driverAdapterError } = error as Record<string, unknown>
  if (retriedCodes.has(code) || retriedCodes.has(originalCode)) return true
  return [cause, meta, driverAdapterError].some((inner) => isRolledBackForOthers(inner, depth + 1))
}
