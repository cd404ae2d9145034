import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { Source } from '../../ui/values.tsx'
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

/** The body of a request or a response. */
export const Body = ({ text, label }: { text: string; label: string }) => <Source label={label} text={indent(text)} />

/** JSON with line breaks, where it stays the same document: a large number would become another one. */
function indent(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

/** Says which permission the person lacks to see a payload; nothing when it is shown. */
export function HiddenPayload({ missing }: { missing: string | null }) {
  if (missing === null) return null
  return (
    <Notice tone="info">
      The payload and the bodies of responses are hidden: your roles lack the permission <code>{foreign(missing)}</code>
      .
    </Notice>
  )
}
