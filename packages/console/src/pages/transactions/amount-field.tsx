import { decimalOf, formatMoney, parseMoney } from '../../text/money.ts'
import { Field } from '../../ui/field.tsx'

interface AmountFieldProps {
  readonly label: string
  readonly currency: string
  readonly max: number
  readonly text: string
  readonly onChange: (text: string) => void
  /** Why the API rejects the amount. */
  readonly error: string | undefined
}

/** An amount in the currency of a transaction. */
export function AmountField({ label, currency, max, text, onChange, error }: AmountFieldProps) {
  const isWrong = text !== '' && parseMoney(text, currency) === undefined
  const example = decimalOf(max, currency)
  return (
    <Field
      label={`${label} in ${currency}`}
      hint={`At most ${formatMoney(max, currency)}.`}
      error={isWrong ? `must be an amount such as ${example}` : error}
    >
      {(control) => (
        <input
          {...control}
          required
          inputMode="decimal"
          maxLength={20}
          value={text}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
