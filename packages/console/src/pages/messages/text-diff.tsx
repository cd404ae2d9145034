import { useMemo } from 'react'
import { foreign, formatQuantity } from '../../text/format.ts'
import { type DiffLine, lineDiff, selectExcerpts } from '../../text/line-diff.ts'
import styles from './diff.module.css'

interface TextDiffProps {
  readonly label: string
  readonly before: string
  readonly after: string
}

/** The changed lines of a text. It scrolls, also by keyboard. */
export function TextDiff({ label, before, after }: TextDiffProps) {
  const parts = useMemo(() => selectExcerpts(lineDiff(before, after)), [before, after])
  return (
    <div className="stack">
      <h3>{label}</h3>
      <div className={styles.diff} tabIndex={0} role="region" aria-label={`Changes of ${label}`}>
        {parts.flatMap(({ skipped, lines }, part) => [
          ...(skipped === 0
            ? []
            : [
                <div key={`skipped-${part}`} className={styles.skipped}>
                  {formatQuantity(skipped, 'unchanged line')}
                </div>,
              ]),
          ...lines.map((line, index) => <Line key={`${part}-${index}`} line={line} />),
        ])}
      </div>
    </div>
  )
}

const signs = { same: ' ', removed: '−', added: '+' } as const
const names = { same: '', removed: 'removed', added: 'added' } as const

function Line({ line: { kind, text } }: { line: DiffLine }) {
  return (
    <div data-kind={kind}>
      <span aria-hidden="true">{signs[kind]} </span>
      {kind === 'same' ? null : <span className="visually-hidden">{names[kind]} </span>}
      {foreign(text)}
    </div>
  )
}
