import { foreign } from '../../text/foreign.ts'
import styles from './http-text.module.css'

export function HeaderList({ headers }: { headers: Readonly<Record<string, unknown>> }) {
  return (
    <dl className={styles.headers}>
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{foreign(name)}</dt>
          <dd>{foreign(String(value))}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A text that scrolls, also by keyboard. */
export function Body({ text, label }: { text: string; label: string }) {
  return (
    <pre className={styles.body} tabIndex={0} role="region" aria-label={label}>
      {foreign(indent(text))}
    </pre>
  )
}

/** JSON with line breaks, where it stays the same document: a large number would become another one. */
function indent(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}
