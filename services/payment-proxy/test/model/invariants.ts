import { expect } from '@jest/globals'
import type { TestTenant, World } from '../world.ts'
import { cups, total } from './commands.ts'
import { readPairs } from './ledger.ts'

interface Recorded {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly amount: number
  readonly released: number
  readonly stage: string | null
  /** Whether a void waits, or waited, for its end. The API does not show it. */
  readonly voided: boolean
  readonly items: { id: string; quantity: number }[] | null
}

interface Row {
  readonly id: string
  readonly version: number
  readonly operations: Recorded[]
  readonly amounts: Amounts
}

interface Amounts {
  readonly status: string
  readonly authorized: number
  readonly captured: number
  readonly voided: number
  readonly refunded: number
}

function readTransactions({ rows }: Pick<World, 'rows'>, { id }: TestTenant): Promise<Row[]> {
  return rows<Row>(
    `SELECT t.id::text, version, json_build_object('status', status, 'authorized', amount_authorized, 'captured',
         amount_captured, 'voided', amount_voided, 'refunded', amount_refunded) AS amounts,
       coalesce((SELECT json_agg(json_build_object('id', o.id, 'type', o.type, 'state',
         CASE WHEN o.action IS NOT NULL AND o.state IN ('in_progress', 'action_required', 'unknown') THEN 'waits for the payer'
           ELSE o.state::text END, 'amount', o.amount,
         'released', o.amount_released, 'stage', o.stage, 'items', o.items, 'voided', o.void_request IS NOT NULL) ORDER BY o.number)
         FROM operations o WHERE transaction_id = t.id), '[]') AS operations
     FROM transactions t WHERE tenant_id = $1::uuid ORDER BY t.id`,
    id,
  )
}

/**
 * To run after each command: stored amounts and status follow from the operations, and a version grows with every
 * change since the last run. While an operation waits for the payer, its state changes with the time and with leases.
 */
export function transactionWatch(world: Pick<World, 'rows'>, tenant: TestTenant): () => Promise<void> {
  const seen = new Map<string, { version: number; state: string }>()
  return async () => {
    for (const { id, version, operations, amounts } of await readTransactions(world, tenant)) {
      expect(amounts).toEqual(derived(operations))
      const before = seen.get(id)
      const state = JSON.stringify([amounts, operations.map((one) => ({ ...one, voided: null }))])
      const least = before === undefined ? 1 : before.version + (before.state === state ? 0 : 1)
      if (version < least) throw new Error(`${id} has version ${version}, expected at least ${least}`)
      seen.set(id, { version, state })
    }
  }
}

/** The books of a tenant without open operations. */
export async function checkBooks(world: Pick<World, 'rows'>, tenant: TestTenant): Promise<void> {
  const transactions = await readTransactions(world, tenant)
  for (const { id, operations, amounts } of transactions) {
    const { authorized, captured, voided, refunded } = amounts
    expect(captured + voided).toBeLessThanOrEqual(authorized)
    expect(refunded).toBeLessThanOrEqual(captured)
    expect(authorized).toBeLessThanOrEqual(total)
    const returned = ended(operations, 'refund').flatMap(({ items }) => items ?? [])
    expect(returned.reduce((sum, { quantity }) => sum + quantity, 0)).toBeLessThanOrEqual(cups.quantity)
    const { body } = await tenant.read(id)
    expect({
      status: body.status,
      authorized: body.amount_authorized,
      captured: body.amount_captured,
      voided: body.amount_voided,
      refunded: body.amount_refunded,
    }).toEqual(amounts)
    expect([body.amount_capturable, body.amount_refundable]).toEqual([
      authorized - captured - voided,
      captured - refunded,
    ])
    expect(body.pending_operation).toBeNull()
  }
  await checkLedger(world, tenant)
  await checkEvents(tenant, transactions)
}

const ended = (operations: readonly Recorded[], type: string) =>
  operations.filter((one) => one.type === type && one.state === 'succeeded')

const sumAmounts = (operations: readonly Recorded[]) => operations.reduce((sum, { amount }) => sum + amount, 0)

/** Amounts and status as the API documents them, computed a second time. */
function derived(operations: readonly Recorded[]): Amounts {
  const [authorizations, captures, voids] = ['authorize', 'capture', 'void'].map((type) => ended(operations, type))
  const authorized = sumAmounts(authorizations ?? [])
  const captured = sumAmounts(captures ?? [])
  const refunded = sumAmounts(ended(operations, 'refund'))
  const voided = sumAmounts(voids ?? []) + (captures ?? []).reduce((sum, { released }) => sum + released, 0)
  const isLeft = captured + voided < authorized
  const last = operations.filter(({ type }) => type === 'authorize').at(-1)
  const unauthorized =
    (voids?.length ?? 0) > 0 ? 'voided' : last?.state === 'declined' ? 'failed' : ('pending' as const)
  const uncaptured = voided === authorized ? 'voided' : 'authorized'
  const unrefunded = isLeft ? 'partially_captured' : 'captured'
  const partly = refunded === captured && !isLeft ? 'refunded' : 'partially_refunded'
  const status = authorized === 0 ? unauthorized : captured === 0 ? uncaptured : refunded === 0 ? unrefunded : partly
  return { status, authorized, captured, voided, refunded }
}

/** Every operation has ended, with the state and the amounts that the ledger of the provider has. */
async function checkLedger(world: Pick<World, 'rows'>, tenant: TestTenant): Promise<void> {
  for (const { id, type, state, amount, released, inLedger } of await readPairs(world, tenant)) {
    const known = inLedger === null || inLedger.state === 'never_received' ? null : inLedger
    // A void before an authorization makes no request. The ledger declines a refund that it had accepted.
    const expected =
      state === 'not_attempted' || amount === 0
        ? null
        : { type, state: state === 'reversed' ? 'declined' : state, amount, released }
    expect({ id, known }).toEqual({ id, known: expected })
  }
}

/** Each transaction has the event of its creation, and each end and each reversal has one. Versions grow. */
async function checkEvents(tenant: TestTenant, transactions: readonly Row[]): Promise<void> {
  const events = await tenant.events()
  for (const { id, operations, version } of transactions) {
    const own = events.filter(({ payload }) => payload.transaction['id'] === id)
    const names = own.map(({ type, payload }) => [payload.operation?.['id'] ?? null, type.split('transactions.')[1]])
    expect(names.sort(byText)).toEqual([[null, 'create'], ...operations.flatMap(expectedEvents)].sort(byText))
    const versions = own.map(({ payload }) => payload.version)
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
    expect(versions.at(-1)).toBeLessThanOrEqual(version)
  }
  const ids = transactions.map(({ id }) => id)
  expect(events.filter(({ payload }) => !ids.includes(String(payload.transaction['id'])))).toEqual([])
}

const byText = (one: unknown, other: unknown) => (String(one) < String(other) ? -1 : 1)

function expectedEvents({ id, type, state, stage, voided }: Recorded): [string, string][] {
  if (voided && state === 'succeeded') return [[id, 'authorize']]
  const name = stage === null ? type : 'authorize.and.capture'
  if (state === 'reversed') {
    return [
      [id, name],
      [id, `${name}.failed`],
    ]
  }
  if (state !== 'succeeded') return [[id, `${name}.failed`]]
  return stage === 'authorize' ? [] : [[id, name]]
}
