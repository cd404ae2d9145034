import { useEffect, useState } from 'react'
import { foreign } from '../text/foreign.ts'
import styles from './copy-field.module.css'

const shownMs = 2_000

/** A value to copy, such as an id. `label` names it for the button. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  const text = { idle: 'Copy', copied: 'Copied', failed: 'Select and copy' }[state]
  return (
    <span className={styles.field}>
      <code>{foreign(value)}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy ${label}`}>
        <span aria-live="polite">{text}</span>
      </button>
    </span>
  )
}
