import { useEffect, useState } from 'react'
import type { Filters } from '../session/api.ts'
import { foreign } from '../text/format.ts'
import { toEndInstant, toInstant, toLocalTime } from '../text/local-time.ts'
import { type Option, Select } from '../ui/fields.tsx'
import styles from './filters.module.css'

/** A filter of a list: a text to type, an instant, or a choice where there are options. */
export interface SearchField {
  readonly name: string
  /** Without a label, the filter has no control: links set it, and a button removes it. */
  readonly label?: string
  /** The option of no filter has no value. */
  readonly options?: readonly Option[]
  readonly isInstant?: boolean
}

/** A filter with these choices. It has no control where the person may not read them. */
export const choiceField = (name: string, label: string, every: string, known: readonly Option[]): SearchField =>
  known.length === 0 ? { name } : { name, label, options: [{ value: '', label: every }, ...known] }

/** The filters of these fields that a URL has; others are ignored. */
export const filtersIn = (
  fields: readonly SearchField[],
  search: Readonly<Record<string, string | undefined>>,
): Filters => Object.fromEntries(fields.flatMap(({ name }) => (search[name] ? [[name, search[name]]] : [])))

interface SearchFormProps {
  readonly fields: readonly SearchField[]
  readonly filters: Filters
  /** Gets the filters that are set. */
  readonly onChange: (filters: Filters) => void
}

/** The filters of a list. A choice applies at once, a text with Enter or when the field is left. */
export function SearchForm({ fields, filters, onChange }: SearchFormProps) {
  const change = (name: string, value: string) => {
    if ((filters[name] ?? '') === value) return
    const { [name]: _, ...others } = filters
    onChange(value === '' ? others : { ...others, [name]: value })
  }
  const controls = (isInstant: boolean) =>
    fields
      .filter((field) => (field.isInstant ?? false) === isInstant)
      .map((field) => (
        <Control
          key={field.name}
          field={field}
          value={filters[field.name] ?? ''}
          onChange={(value) => change(field.name, value)}
        />
      ))
  const range = controls(true)
  return (
    <form className={styles.filters} role="search" onSubmit={(event) => event.preventDefault()}>
      {controls(false)}
      {range.length === 0 ? null : <div className={styles.range}>{range}</div>}
      {Object.keys(filters).length === 0 ? null : (
        <button type="button" className={styles.clear} onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </form>
  )
}

interface ControlProps {
  readonly field: SearchField
  readonly value: string
  readonly onChange: (value: string) => void
}

function Control({ field: { name, label, options, isInstant = false }, value, onChange }: ControlProps) {
  if (label === undefined) return value === '' ? null : <Chip name={name} value={value} onChange={onChange} />
  if (isInstant)
    return <InstantFilter label={label} value={value} isEnd={name.endsWith('_before')} onChange={onChange} />
  if (options === undefined) return <TextFilter label={label} value={value} onChange={onChange} />
  return <Select aria-label={label} value={value} options={withValue(options, value)} onChange={onChange} />
}

/** A value of the URL that no option has is shown as it is. */
const withValue = (options: readonly Option[], value: string) =>
  options.some((option) => option.value === value) ? options : [...options, { value, label: foreign(value) }]

function Chip({ name, value, onChange }: { name: string; value: string; onChange: (value: string) => void }) {
  return (
    <button type="button" className={styles.chip} onClick={() => onChange('')}>
      {name} <code>{foreign(value)}</code> ✕<span className="visually-hidden">remove</span>
    </button>
  )
}

interface FilterProps {
  readonly label: string
  /** Of an `InstantFilter`, an instant of the API. Empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
}

function TextFilter({ label, value, onChange }: FilterProps) {
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

/** While a year is typed, the input has years of fewer digits, which are no filter. */
const firstYear = '2000'
const wholeLength = toLocalTime(new Date(0).toISOString()).length

/** One end of a range of time, in the zone of the reader. */
function InstantFilter({ label, value, isEnd, onChange }: FilterProps & { readonly isEnd: boolean }) {
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
