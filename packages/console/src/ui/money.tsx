import { formatMoney } from '../text/money.ts'

/** An amount in minor units, on one line. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="amount">{formatMoney(amount, currency)}</span>
}
