import { Money } from '../../ui/money.tsx'
import styles from './transaction.module.css'

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
