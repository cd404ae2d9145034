import { useId } from 'react'
import { count } from '../text/format.ts'

/** How far a long action is. The native element. */
export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  const id = useId()
  return (
    <div className="stack">
      <label htmlFor={id}>
        {label}: {count(value)} <small>of at most {count(max)}</small>
      </label>
      <progress id={id} value={value} max={max} />
    </div>
  )
}
