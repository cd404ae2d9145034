/** Compares the books of payment-proxy with the ledgers of the payment providers, row by row. */
import { withClient } from '@payments/devkit/servers/databases'

export interface Books {
  readonly transactions: number
  /** Operations that ended at the provider. */
  readonly operations: number
  /** Operations whose outcome is not known yet. */
  readonly open: number
  /** One line each; empty when the books are exact. */
  readonly differences: readonly string[]
}

/** An operation in the ledger of a provider other than the sandbox. */
export interface LedgerRow {
  readonly id: string
  readonly type: string
  readonly amount: number
  readonly state: string
}

const differencesMax = 20

/**
 * An operation that moved money must be in both, with the same type, amount and state, and the amounts of a transaction
 * must be the sums of its operations. `ownerUrl`: the database of payment-proxy, with the role that owns the tables.
 * `others`: the ledgers of providers besides the sandbox.
 */
export function readBooks(ownerUrl: string, others: readonly LedgerRow[] = []): Promise<Books> {
  return withClient(ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows: counts } = await owner.query<{ transactions: number; operations: number; open: number }>(`
      SELECT (SELECT count(*)::int FROM transactions) AS transactions,
        (SELECT count(*)::int FROM operations WHERE due_at IS NULL) AS operations,
        (SELECT count(*)::int FROM operations WHERE due_at IS NOT NULL) AS open`)
    const { rows: differing } = await owner.query<{ difference: string }>(
      `
      WITH ledger AS (
        SELECT id, type::text, amount, state::text FROM sandbox_operations
        UNION ALL
        SELECT * FROM jsonb_to_recordset($1::jsonb) AS other (id uuid, type text, amount bigint, state text))
      SELECT format('operation %s: %s %s %s, in the ledger of the provider: %s %s %s', coalesce(o.id, s.id),
          o.type, o.amount, o.state, s.type, s.amount, s.state) AS difference
      FROM (SELECT * FROM operations WHERE due_at IS NULL AND amount > 0) o
        FULL JOIN (SELECT * FROM ledger WHERE id NOT IN (SELECT id FROM operations WHERE due_at IS NOT NULL)) s
          ON s.id = o.id
      WHERE coalesce(o.state::text, 'not_attempted') NOT IN ('not_attempted')
          AND (s.id IS NULL OR (o.type::text, o.amount, o.state::text) <> (s.type, s.amount, s.state))
        OR coalesce(o.state::text, 'not_attempted') = 'not_attempted' AND s.state NOT IN ('never_received', 'declined')
      UNION ALL
      SELECT format('transaction %s: authorized %s, captured %s, voided %s, refunded %s, its operations: %s, %s, %s, %s', t.id,
          t.amount_authorized, t.amount_captured, t.amount_voided, t.amount_refunded,
          sums.authorized, sums.captured, sums.voided, sums.refunded)
      FROM transactions t CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount) FILTER (WHERE type = 'authorize'), 0) AS authorized,
          coalesce(sum(amount) FILTER (WHERE type = 'capture'), 0) AS captured,
          coalesce(sum(amount_released + CASE type WHEN 'void' THEN amount ELSE 0 END), 0) AS voided,
          coalesce(sum(amount) FILTER (WHERE type = 'refund'), 0) AS refunded
        FROM operations WHERE transaction_id = t.id AND state = 'succeeded') sums
      WHERE (t.amount_authorized, t.amount_captured, t.amount_voided, t.amount_refunded)
        <> (sums.authorized, sums.captured, sums.voided, sums.refunded)
      LIMIT ${differencesMax}`,
      [JSON.stringify(others)],
    )
    const [count = { transactions: 0, operations: 0, open: 0 }] = counts
    return { ...count, differences: differing.map(({ difference }) => difference) }
  })
}
