import type { TestTenant, World } from '../world.ts'

/** An operation as recorded, beside the same operation in the ledger of the sandbox. */
export interface Pair {
  readonly id: string
  readonly transactionId: string
  readonly type: string
  readonly state: string
  readonly amount: number
  readonly released: number
  readonly inLedger: {
    readonly type: string
    readonly state: string
    readonly amount: number
    readonly released: number
  } | null
}

type Rows = Pick<World, 'rows'>

/** In the order of their start. Throws when the ledger has an operation that is not recorded. */
export async function readPairs({ rows }: Rows, tenant: Pick<TestTenant, 'id'>): Promise<Pair[]> {
  const pairs = await rows<Pair>(
    `SELECT coalesce(o.id, s.id)::text AS id, o.transaction_id::text AS "transactionId", o.type::text, o.state::text,
       o.amount::int, o.amount_released::int AS released, CASE WHEN s.id IS NULL THEN NULL ELSE json_build_object(
         'type', s.type, 'state', s.state, 'amount', s.amount, 'released', s.amount_released) END AS "inLedger"
     FROM (SELECT * FROM operations WHERE tenant_id = $1::uuid) o
     FULL JOIN (SELECT * FROM sandbox_operations WHERE tenant_id = $1::uuid) s ON s.id = o.id
     ORDER BY o.created_at, o.id`,
    tenant.id,
  )
  const unrecorded = pairs.find(({ transactionId }) => transactionId === null)
  if (unrecorded !== undefined) throw new Error(`the ledger has ${unrecorded.id}, which is not recorded`)
  return pairs
}

/** The authorizations that wait at the bank of the sandbox. */
export function readChallenges({ rows }: Rows, tenant: Pick<TestTenant, 'id'>) {
  return rows<{ challenge: string; transactionId: string }>(
    `SELECT challenge, o.transaction_id::text AS "transactionId" FROM sandbox_operations s JOIN operations o USING (id)
     WHERE s.tenant_id = $1::uuid AND s.state = 'action_required' ORDER BY s.id`,
    tenant.id,
  )
}

export const formatReference = (id: string) => `sbx_${id.replaceAll('-', '')}`

/** The report of the provider about an operation. Null when it never received it. */
export async function outcomeInLedger({ rows }: Rows, { id, inLedger }: Pair) {
  if (inLedger === null || inLedger.state === 'never_received' || inLedger.state === 'action_required') return null
  if (inLedger.state === 'declined') {
    return { kind: 'declined', declineCode: 'card_declined', retryable: false, providerCode: null }
  }
  if (inLedger.state === 'pending') await rows(setState, id, 'succeeded', inLedger.amount)
  return { kind: 'succeeded', amount: inLedger.amount, currency: 'EUR' }
}

/** The provider fails a refund that had succeeded. */
export async function reversedInLedger({ rows }: Rows, { id, amount }: Pair): Promise<void> {
  await rows(setState, id, 'declined', amount)
}

/** The outcome that a person finds at the provider. The provider settles with the person what it had left open. */
export async function resolvedInLedger({ rows }: Rows, { id, amount, inLedger }: Pair, choice: number) {
  if (inLedger === null || inLedger.state === 'never_received') return 'not_attempted'
  const isSettled = inLedger.state !== 'pending' && inLedger.state !== 'action_required' && inLedger.amount === amount
  const outcome = isSettled ? inLedger.state : ['succeeded', 'declined', 'not_attempted'][choice % 3]
  await rows(setState, id, outcome === 'not_attempted' ? 'never_received' : outcome, amount)
  return outcome
}

const setState = `
  UPDATE sandbox_operations SET state = $2::"SandboxState", amount = $3, fails_at = NULL WHERE id = $1::uuid`
