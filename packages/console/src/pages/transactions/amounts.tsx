import type { Transaction } from '@payments/client/schemas'
import { Money } from '../../ui/content.tsx'
import styles from './transaction.module.css'

/** The parts of the amount: a bar, and the same in words. */
export function Amounts({ transaction }: { transaction: Transaction }) {
  const { amount, currency } = transaction
  const parts = splitAmount(transaction)
  const total = Math.max(
    amount,
    parts.reduce((sum, part) => sum + part.amount, 0),
  )
  return (
    <figure className={styles.amounts}>
      <svg className={styles.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ name, amount: part }, index) => (
          <rect
            key={name}
            data-part={name}
            x={(100 * parts.slice(0, index).reduce((sum, before) => sum + before.amount, 0)) / total}
            width={(100 * part) / total}
            height="1"
          />
        ))}
      </svg>
      <dl className={styles.legend}>
        {parts
          .filter((part) => part.amount > 0)
          .map(({ name, label = name, amount: part }) => (
            <div key={name} data-part={name}>
              <dt>{label}</dt>
              <dd>
                <Money amount={part} currency={currency} />
              </dd>
            </div>
          ))}
      </dl>
    </figure>
  )
}

/** Parts that do not overlap, from left to right. */
function splitAmount(transaction: Transaction): { name: string; label?: string; amount: number }[] {
  const { amount, amount_captured: captured, amount_refunded: refunded, amount_voided: released } = transaction
  const capturable = transaction.amount_capturable
  const given = captured + released + capturable
  return [
    { name: 'captured', label: refunded === 0 ? 'captured' : 'captured, less refunds', amount: captured - refunded },
    { name: 'refunded', amount: refunded },
    { name: 'capturable', amount: capturable },
    { name: 'released', amount: released },
    { name: 'not authorized', amount: Math.max(0, amount - given) },
  ]
}

interface AmountsAfterProps {
  readonly title: string
  readonly currency: string
  readonly amounts: Readonly<Record<string, number>>
}

/** The amounts of a transaction as an operation will leave them, which a form shows before it sends the operation. */
export function AmountsAfter({ title, currency, amounts }: AmountsAfterProps) {
  return (
    <section className={styles.after} aria-label={title}>
      <small>{title}</small>
      <dl>
        {Object.entries(amounts).map(([name, amount]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Money amount={amount} currency={currency} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
