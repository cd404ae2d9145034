import { formatAmount } from '@payments/contracts/grammar/currency'
import type {
  NotCompared,
  RecordedOperation,
  ReportedOperation,
} from '@payments/contracts/services/payment-proxy/operators'

export interface Difference {
  readonly operation_id: string | null
  readonly provider_reference: string | null
  readonly kind: 'not_reported' | 'not_recorded' | 'state' | 'amount' | 'open'
  readonly detail: string
}

/** A period, both instants in ms since 1970; `to` is not part of it. */
interface Period {
  readonly from: number
  readonly to: number
}

/**
 * Compares our books with what the payment providers report. Only records of the period count. Both lists also contain
 * records shortly before and after it, since the two sides write down different instants. Without a report,
 * the operations of a payment orchestrator are not compared.
 */
export function compareOperations(
  recorded: readonly RecordedOperation[],
  reported: readonly ReportedOperation[],
  period: Period,
  { notCompared, now }: { readonly notCompared: ReadonlyMap<string, NotCompared>; readonly now: number },
) {
  const isIn = (instant: string) => Date.parse(instant) >= period.from && Date.parse(instant) < period.to
  const listKeys = (one: RecordedOperation | ReportedOperation) =>
    [one.operation_id, one.provider_reference].filter((key): key is string => key !== null)
  const reportedBy = new Map(reported.flatMap((one) => listKeys(one).map((key) => [key, one] as const)))
  const recordedBy = new Map(recorded.flatMap((one) => listKeys(one).map((key) => [key, one] as const)))
  const ofPeriod = recorded.filter((one) => isIn(one.created_at))
  const comparable = ofPeriod.filter((one) => !notCompared.has(one.payment_orchestrator_id))
  const pairs = comparable.map((one) => {
    const other = listKeys(one)
      .map((key) => reportedBy.get(key))
      .find((found) => found !== undefined)
    return { one, found: isOpen(one) ? compareOpen(one, other, now) : compareClosed(one, other) }
  })
  const theirs = reported
    .filter((one) => isIn(one.received_at) && !listKeys(one).some((key) => recordedBy.has(key)))
    .map((one): Difference => {
      const money = formatAmount(one.amount, one.currency)
      const detail = `the provider has a ${one.state} ${one.type} of ${money} that we never sent`
      return { ...pickIdentity(one), kind: 'not_recorded', detail }
    })
  return {
    differences: [...pairs.flatMap(({ found }) => found), ...theirs],
    /** Operations without an outcome, for less than a day and without a difference yet. */
    open: pairs.filter(({ one, found }) => isOpen(one) && found.length === 0).length,
    /** Operations of payment orchestrators whose report failed. */
    failed: ofPeriod.filter((one) => notCompared.get(one.payment_orchestrator_id)?.kind === 'failed').length,
  }
}

/** States in which the provider may or may not have the operation. */
const openStates = ['in_progress', 'action_required', 'pending', 'unknown']
const isOpen = ({ state }: RecordedOperation) => openStates.includes(state)

/** After this time a person has to look at an open operation. */
const openMs = 24 * 60 * 60 * 1000

/** Syncs end an open operation, except for one that the provider reports with another amount, or not for a day. */
function compareOpen(own: RecordedOperation, other: ReportedOperation | undefined, now: number): Difference[] {
  if (other?.state === 'succeeded' && !isSameAmount(own, other)) return [amountDifference(own, other)]
  if (now - Date.parse(own.created_at) < openMs) return []
  const theirs = other === undefined ? 'not reported by the provider' : `${other.state} at the provider`
  return [{ ...pickIdentity(own), kind: 'open', detail: `${own.state} in our books for more than a day, ${theirs}` }]
}

function compareClosed(own: RecordedOperation, other: ReportedOperation | undefined): Difference[] {
  const identity = pickIdentity(own)
  if (other === undefined) {
    // A declined operation may be unknown to the provider: some report only what took effect.
    if (own.state !== 'succeeded' && own.state !== 'reversed') return []
    const money = formatAmount(own.amount, own.currency)
    const detail = `our books have a ${own.state} ${own.type} of ${money} that the provider does not report`
    return [{ ...identity, kind: 'not_reported', detail }]
  }
  const expected = own.state === 'succeeded' ? 'succeeded' : 'declined'
  if (other.state !== expected) {
    return [{ ...identity, kind: 'state', detail: `${own.state} in our books, ${other.state} at the provider` }]
  }
  return isSameAmount(own, other) ? [] : [amountDifference(own, other)]
}

function isSameAmount(own: RecordedOperation, other: ReportedOperation): boolean {
  return other.amount === own.amount && other.currency === own.currency
}

function amountDifference(own: RecordedOperation, other: ReportedOperation): Difference {
  const [ours, theirs] = [own, other].map(({ amount, currency }) => formatAmount(amount, currency))
  const detail = `${ours} in our books, ${theirs} at the provider`
  return { ...pickIdentity(own), kind: 'amount', detail }
}

function pickIdentity({ operation_id, provider_reference }: RecordedOperation | ReportedOperation) {
  return { operation_id, provider_reference }
}
