import { type ReactNode, useEffect } from 'react'
import { rowsBeyond, useRowWindow } from './row-window.ts'
import styles from './table.module.css'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Width on wide screens, such as `8rem`; default: a share of the rest. */
  readonly width?: string
  /** Amounts and counts, whose digits align at the right on wide screens. */
  readonly isNumber?: boolean
}

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Called when the reader comes near the last row. */
  readonly onEnd?: (() => void) | undefined
}

/**
 * A list. The page scrolls, and only rows near the window are elements. A narrow window shows each row as a block of
 * lines with the names of its columns.
 */
export function Table<Row>({ label, columns, rows, rowKey, onEnd }: TableProps<Row>) {
  const { rows: shown, height, body, measure } = useRowWindow(rows.map(rowKey))
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= rows.length - 1 - rowsBeyond) onEnd?.()
  }, [last, rows.length, onEnd])
  const template = columns.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ')
  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className={styles.table}>
      <div role="row" className={styles.head} style={{ gridTemplateColumns: template }}>
        {columns.map(({ name, isNumber }) => (
          <span role="columnheader" key={name} data-number={isNumber}>
            {name === '' ? <span className="visually-hidden">Actions</span> : name}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={body} className={styles.body} style={{ height }}>
        {shown.map(({ index, key, top }) => (
          <div
            role="row"
            key={key}
            ref={measure}
            data-key={key}
            aria-rowindex={index + 2}
            className={styles.row}
            style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
          >
            {columns.map(({ name, isNumber, cell }) => (
              <div role="cell" key={name} data-column={name} data-number={isNumber}>
                {cell(rows[index] as Row)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
