import { foreign } from '../text/foreign.ts'

interface FilterChipsProps {
  readonly filters: Readonly<Record<string, string>>
  readonly onRemove: (name: string) => void
}

/** Filters that have no control of their own on a page, each as a button that removes it. */
export function FilterChips({ filters, onRemove }: FilterChipsProps) {
  const entries = Object.entries(filters)
  if (entries.length === 0) return null
  return (
    <div className="row">
      {entries.map(([name, value]) => (
        <button key={name} type="button" onClick={() => onRemove(name)}>
          {name} <code>{foreign(value)}</code> ✕<span className="visually-hidden">remove</span>
        </button>
      ))}
    </div>
  )
}
