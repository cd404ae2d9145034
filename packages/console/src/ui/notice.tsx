import type { ReactNode } from 'react'
import styles from './notice.module.css'

interface NoticeProps {
  readonly tone: 'info' | 'good' | 'warning' | 'bad'
  readonly title?: string
  readonly children?: ReactNode
}

/** A message that belongs to what stands below it. Bad news is announced at once. A form moves the focus to it. */
export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div
      className={styles.notice}
      data-tone={tone}
      role={tone === 'bad' ? 'alert' : 'status'}
      tabIndex={tone === 'bad' ? -1 : undefined}
    >
      {title === undefined ? null : <strong>{title}</strong>}
      {children === undefined ? null : <div>{children}</div>}
    </div>
  )
}
