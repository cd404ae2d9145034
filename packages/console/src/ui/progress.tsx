import { useId } from 'react'
import { formatCount } from '../text/format.ts'

/** How far a long action is. The native element. */
export function Progress({ label, value, max }: { label: string; value: number; max: number }) {
  const id = useId()
  return (
    <div className="stack">
      <label htmlFor={id}>
        {label}: {formatCount(value)} <small>of at most {formatCount(max)}</small>
      </label>
      <progress id={id} value={value} max={max} />
    </div>
  )
}
