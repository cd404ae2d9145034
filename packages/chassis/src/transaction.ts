/**
 * Transactions, and who may see what in them. Every table with a tenant has a row-level policy that compares its
 * tenant_id with the setting `app.tenant_id`; a transaction that sets nothing sees nothing.
 */
export interface SqlTx {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>
}

interface Database<Tx> {
  $transaction<R>(work: (tx: Tx) => Promise<R>, options?: { maxWait?: number; timeout?: number }): Promise<R>
}

export interface Transactions<Tx extends SqlTx> {
  /** One transaction that sees and changes the rows of one tenant only. */
  inTenant<R>(tenantId: string, work: (tx: Tx) => Promise<R>): Promise<R>
  /** One transaction over every tenant: for the relay, sweepers, look-ups by handle, operators. */
  acrossTenants<R>(work: (tx: Tx) => Promise<R>): Promise<R>
}

const limits = { maxWait: 5_000, timeout: 10_000 }
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
export function transactions<Tx extends SqlTx>(db: Database<Tx>, afterCommit: () => void): Transactions<Tx> {
  const as = async <R>(scope: string, work: (tx: Tx) => Promise<R>): Promise<R> => {
    const result = await db.$transaction(async (tx) => {
      await tx.$queryRawUnsafe(`SELECT set_config('app.tenant_id', $1, true)`, scope)
      const steps: (() => Promise<void>)[] = []
      lastSteps.set(tx, steps)
      const done = await work(tx)
      lastSteps.delete(tx)
      for (const step of steps) await step()
      return done
    }, limits)
    afterCommit()
    return result
  }
  return {
    inTenant: (tenantId, work) => as(tenantId, work),
    acrossTenants: (work) => as(everyTenant, work),
  }
}
