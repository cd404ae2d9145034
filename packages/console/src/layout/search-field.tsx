import { useState } from 'react'
import styles from './filters.module.css'

interface SearchFieldProps {
  readonly label: string
  /** The text of the URL. */
  readonly value: string
  readonly onSearch: (text: string) => void
}

/** A search that is sent with Enter, and when the focus leaves the field. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
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
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={search}
      />
    </form>
  )
}
