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

/** `afterCommit` runs after each commit, e.g. to wake the relay; it must not throw. */
export function transactions<Tx extends SqlTx>(db: Database<Tx>, afterCommit: () => void): Transactions<Tx> {
  const as = async <R>(scope: string, work: (tx: Tx) => Promise<R>): Promise<R> => {
    const result = await db.$transaction(async (tx) => {
      await tx.$queryRawUnsafe(`SELECT set_config('app.tenant_id', $1, true)`, scope)
      return work(tx)
    }, limits)
    afterCommit()
    return result
  }
  return {
    inTenant: (tenantId, work) => as(tenantId, work),
    acrossTenants: (work) => as(everyTenant, work),
  }
}
