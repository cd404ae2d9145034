import { foreign } from '../text/foreign.ts'
import styles from './source.module.css'

/** A text as it is, such as that of a message. It scrolls, also by keyboard. */
export function Source({ label, text }: { label: string; text: string }) {
  return (
    <pre className={styles.source} tabIndex={0} role="region" aria-label={label}>
      {foreign(text)}
    </pre>
  )
}
