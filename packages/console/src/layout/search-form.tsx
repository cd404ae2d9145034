import { type FormEvent, useEffect, useState } from 'react'
import { Select } from '../ui/select.tsx'
import styles from './filters.module.css'

export type Filters = Readonly<Record<string, string>>

interface Option {
  readonly value: string
  readonly label: string
}

/** A filter of a list: a text to type, or a choice where there are options. The option of no filter has no value. */
export interface SearchField {
  readonly name: string
  readonly label: string
  readonly options?: readonly Option[]
}

/** The filters of these fields that a URL has; others are ignored. */
export const filtersIn = (
  fields: readonly SearchField[],
  search: Readonly<Record<string, string | undefined>>,
): Filters => Object.fromEntries(fields.flatMap(({ name }) => (search[name] ? [[name, search[name]]] : [])))

interface SearchFormProps {
  readonly fields: readonly SearchField[]
  readonly filters: Filters
  /** Gets the filters that are set. */
  readonly onChange: (filters: Record<string, string>) => void
}

/** The filters of a list. A choice applies at once, a text with Enter or when the field is left. */
export function SearchForm({ fields, filters, onChange }: SearchFormProps) {
  const change = (name: string, value: string) => {
    if ((filters[name] ?? '') === value) return
    const { [name]: _, ...others } = filters
    onChange(value === '' ? others : { ...others, [name]: value })
  }
  return (
    <form className={styles.filters} role="search" onSubmit={(event: FormEvent) => event.preventDefault()}>
      {fields.map(({ name, label, options }) => {
        const value = filters[name] ?? ''
        const set = (next: string) => change(name, next)
        return options === undefined ? (
          <TextFilter key={name} label={label} value={value} onChange={set} />
        ) : (
          <Select key={name} aria-label={label} value={value} options={withValue(options, value)} onChange={set} />
        )
      })}
      {Object.keys(filters).length === 0 ? null : (
        <button type="button" className={styles.clear} onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </form>
  )
}

/** A value of the URL that no option has is shown as it is. */
const withValue = (options: readonly Option[], value: string) =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: value }]

function TextFilter({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => onChange(text.trim())}
      onKeyDown={({ key }) => {
        if (key === 'Enter') onChange(text.trim())
      }}
    />
  )
}
