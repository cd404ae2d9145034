import { useState } from 'react'
import { toEndInstant, toInstant, toLocalTime } from '../text/local-time.ts'
import styles from './filters.module.css'

interface InstantFilterProps {
  readonly label: string
  /** An instant of the API; empty for none. */
  readonly value: string
  readonly isEnd: boolean
  readonly onChange: (instant: string) => void
}

/** While a year is typed, the input has years of fewer digits, which are no filter. */
const firstYear = '2000'
const wholeLength = toLocalTime(new Date(0).toISOString()).length

/** One end of a range of time, in the zone of the reader. */
export function InstantFilter({ label, value, isEnd, onChange }: InstantFilterProps) {
  const [draft, setDraft] = useState<string>()
  const change = (local: string) => {
    const isWhole = local === '' || (local >= firstYear && local.length === wholeLength)
    setDraft(isWhole ? undefined : local)
    if (isWhole) onChange(isEnd ? toEndInstant(local) : toInstant(local))
  }
  return (
    <label className={styles.instant}>
      <span>{label}</span>
      <input
        type="datetime-local"
        value={draft ?? toLocalTime(value)}
        onChange={({ target }) => change(target.value)}
      />
    </label>
  )
}
