import { formatAmount } from '@payments/contracts/currency'
import type { RecordedOperation, ReportedOperation } from '@payments/contracts/payment-proxy-operators'

export interface Difference {
  readonly operation_id: string | null
  readonly provider_reference: string | null
  readonly kind: 'not_reported' | 'not_recorded' | 'state' | 'amount'
  readonly detail: string
}

/** A period, both instants in ms since 1970; `to` is not part of it. */
export interface Period {
  readonly from: number
  readonly to: number
}

/**
 * The differences between our books and what the payment providers report. Only records of the period count. Both lists
 * also contain records shortly before and after it, since the two sides write down different instants.
 * `unreported`: payment orchestrators without reports, which are not compared.
 */
export function differencesOf(
  recorded: readonly RecordedOperation[],
  reported: readonly ReportedOperation[],
  period: Period,
  unreported: readonly string[],
): Difference[] {
  const isIn = (instant: string) => Date.parse(instant) >= period.from && Date.parse(instant) < period.to
  const keysOf = (one: RecordedOperation | ReportedOperation) =>
    [one.operation_id, one.provider_reference].filter((key): key is string => key !== null)
  const reportedBy = new Map(reported.flatMap((one) => keysOf(one).map((key) => [key, one] as const)))
  const recordedBy = new Map(recorded.flatMap((one) => keysOf(one).map((key) => [key, one] as const)))
  const ours = recorded
    .filter((one) => isIn(one.created_at) && !unreported.includes(one.payment_orchestrator_id))
    .flatMap((one) => {
      const other = keysOf(one)
        .map((key) => reportedBy.get(key))
        .find((found) => found !== undefined)
      return differenceOf(one, other)
    })
  const theirs = reported
    .filter((one) => isIn(one.received_at) && !keysOf(one).some((key) => recordedBy.has(key)))
    .map((one): Difference => {
      const money = formatAmount(one.amount, one.currency)
      const detail = `the provider has a ${one.state} ${one.type} of ${money} that we never sent`
      return { ...identityOf(one), kind: 'not_recorded', detail }
    })
  return [...ours, ...theirs]
}

/** States in which the provider may or may not have the operation: an open one has no difference yet. */
const open = ['in_progress', 'pending', 'unknown']

function differenceOf(own: RecordedOperation, other: ReportedOperation | undefined): Difference[] {
  const identity = identityOf(own)
  if (other === undefined) {
    // A declined operation may be unknown to the provider: some report only what took effect.
    if (own.state !== 'succeeded' && own.state !== 'reversed') return []
    const money = formatAmount(own.amount, own.currency)
    const detail = `our books have a ${own.state} ${own.type} of ${money} that the provider does not report`
    return [{ ...identity, kind: 'not_reported', detail }]
  }
  if (open.includes(own.state)) return []
  const expected = own.state === 'succeeded' ? 'succeeded' : 'declined'
  if (other.state !== expected) {
    return [{ ...identity, kind: 'state', detail: `${own.state} in our books, ${other.state} at the provider` }]
  }
  if (other.amount === own.amount && other.currency === own.currency) return []
  const [ours, theirs] = [own, other].map(({ amount, currency }) => formatAmount(amount, currency))
  const detail = `${ours} in our books, ${theirs} at the provider`
  return [{ ...identity, kind: 'amount', detail }]
}

function identityOf({ operation_id, provider_reference }: RecordedOperation | ReportedOperation) {
  return { operation_id, provider_reference }
}
