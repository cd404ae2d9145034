import { type ReactNode, useEffect, useState } from 'react'
import { foreign } from '../text/foreign.ts'
import styles from './filters.module.css'

export type Filters = Readonly<Record<string, string>>

/** The filters with these names that a URL has; others are ignored. */
export const filtersWith =
  (names: readonly string[]) =>
  (search: Readonly<Record<string, string | undefined>>): Filters =>
    Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface SearchProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onSearch: (value: string) => void
  /** Further filters. */
  readonly children?: ReactNode
}

/** A text to search for, beside further filters. It is searched for once the person leaves the field. */
export function SearchFilter({ label, placeholder, value, onSearch, children }: SearchProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const search = () => {
    if (text.trim() !== value) onSearch(text.trim())
  }
  return (
    <form
      className={styles.filters}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        search()
      }}
    >
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={search}
      />
      {children}
    </form>
  )
}

interface OtherFiltersProps {
  readonly filters: Filters
  /** The names of filters that have a control. */
  readonly shown: readonly string[]
  readonly onRemove: (name: string) => void
}

/** The filters of a link to the list, each with its removal. */
export function OtherFilters({ filters, shown, onRemove }: OtherFiltersProps) {
  const others = Object.entries(filters).filter(([name]) => !shown.includes(name))
  if (others.length === 0) return null
  return (
    <div className="row">
      {others.map(([name, value]) => (
        <button key={name} type="button" onClick={() => onRemove(name)}>
          {name} <code>{foreign(value)}</code> ✕<span className="visually-hidden">remove</span>
        </button>
      ))}
    </div>
  )
}
