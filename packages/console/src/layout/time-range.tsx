import { useState } from 'react'
import { instantOf, localOf } from '../text/local-time.ts'
import styles from './time-range.module.css'

interface TimeRangeProps {
  /** Instants of the API; empty where the range has no such end. */
  readonly after: string | undefined
  readonly before: string | undefined
  readonly onChange: (range: { readonly after: string; readonly before: string }) => void
}

/** The two ends of a range of time, as two filters of a list. */
export function TimeRange({ after = '', before = '', onChange }: TimeRangeProps) {
  return (
    <>
      <End label="From" instant={after} onChange={(instant) => onChange({ after: instant, before })} />
      <End label="To" instant={before} onChange={(instant) => onChange({ after, before: instant })} />
    </>
  )
}

interface EndProps {
  readonly label: string
  readonly instant: string
  readonly onChange: (instant: string) => void
}

/** While a year is typed, the input has years of fewer digits, which are no filter. */
const firstYear = '2000'

function End({ label, instant, onChange }: EndProps) {
  const [draft, setDraft] = useState<string>()
  const change = (local: string) => {
    const isWhole = local === '' || (local >= firstYear && local.length === localOf(new Date(0).toISOString()).length)
    setDraft(isWhole ? undefined : local)
    if (isWhole) onChange(instantOf(local))
  }
  return (
    <label className={styles.end}>
      <span>{label}</span>
      <input type="datetime-local" value={draft ?? localOf(instant)} onChange={({ target }) => change(target.value)} />
    </label>
  )
}
