import { useEffect, useState } from 'react'
import { CopyField } from './copy-field.tsx'
import styles from './secret.module.css'

const visibleMs = 60_000

/**
 * A secret that the API has just shown. It is in the state of the component that read it, and in no cache, URL, storage
 * or title. The value is hidden after a minute and when the window loses the focus.
 */
export function Secret({ label, value, onHide }: { label: string; value: string; onHide: () => void }) {
  const [endsAt] = useState(() => Date.now() + visibleMs)
  useEffect(() => {
    const timer = setTimeout(onHide, endsAt - Date.now())
    window.addEventListener('blur', onHide)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('blur', onHide)
    }
  }, [endsAt, onHide])
  return (
    <div className={styles.secret}>
      <CopyField label={label} value={value} />
      <small>Hidden after a minute, or when you leave the window.</small>
    </div>
  )
}
