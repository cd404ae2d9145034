import { formatDecimal, formatMoney, moneyError, parseMoney } from '../text/money.ts'
import { TextField } from '../ui/fields.tsx'

interface AmountFieldProps {
  readonly label: string
  readonly currency: string
  readonly max?: number
  readonly value: string
  readonly onChange: (value: string) => void
  /** Why the API rejects the amount. */
  readonly error: string | undefined
}

/** An amount with a comma or a point. Below a text of another form than the console's own is what was understood. */
export function AmountField({ label, currency, max, value, onChange, error }: AmountFieldProps) {
  const amount = parseMoney(value, currency)
  const isOwnForm = amount === undefined || value.trim() === formatDecimal(amount, currency)
  const understood = isOwnForm ? '' : `That is ${formatMoney(amount, currency)}. `
  const limit = max === undefined ? '' : `At most ${formatMoney(max, currency)}.`
  const hint = `${understood}${limit}`.trim()
  const isExcess = max !== undefined && amount !== undefined && amount > max
  const excess = isExcess ? `must be at most ${formatDecimal(max, currency)}` : undefined
  return (
    <TextField
      label={label}
      hint={hint === '' ? undefined : hint}
      error={moneyError(value, currency) ?? error ?? excess}
      isRequired
      inputMode="decimal"
      maxLength={20}
      value={value}
      onChange={onChange}
    />
  )
}
