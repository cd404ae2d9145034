import { useId } from 'react'
import { languages } from '../text/message-locale.ts'
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

const names = new Intl.DisplayNames('en', { type: 'language' })

interface LocaleFieldProps {
  readonly label: string
  /** Meaning of an empty field. */
  readonly none: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** A language of payers, with a region if any. The list has suggestions: any language tag is a locale. */
export function LocaleField({ none, ...field }: LocaleFieldProps) {
  const list = useId()
  return (
    <>
      <TextField {...field} hint={`Such as de or pt-BR. Empty: ${none}.`} maxLength={64} list={list} />
      <datalist id={list}>
        {languages.map((language) => (
          <option key={language} value={language} label={names.of(language)} />
        ))}
      </datalist>
    </>
  )
}

/** The English name of a locale of the API, such as `Austrian German (de-AT)`. */
export function localeName(locale: string): string {
  // A browser may name no tag with extensions.
  return `${names.of(new Intl.Locale(locale).baseName)} (${locale})`
}
