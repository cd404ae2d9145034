import { type ReactNode, useId, useRef } from 'react'
import styles from './menu.module.css'

interface MenuItem {
  readonly label: string
  readonly onSelect: () => void
  readonly isDanger?: boolean
  /** Why the item cannot be used; undefined where it can. */
  readonly disabledBecause?: string | undefined
}

/** A button that opens a list of actions in a native popover. Escape and a click beside it close the list. */
export function Menu({ label, items, children }: { label: string; items: readonly MenuItem[]; children?: ReactNode }) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const place = () => {
    const from = button.current?.getBoundingClientRect()
    const popover = list.current
    if (from === undefined || popover === null) return
    const { width, height } = popover.getBoundingClientRect()
    const below = from.bottom + 4
    popover.style.left = `${Math.max(8, Math.min(from.right - width, innerWidth - width - 8))}px`
    popover.style.top = `${below + height > innerHeight ? Math.max(8, from.top - height - 4) : below}px`
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        data-kind={children === undefined ? 'plain' : undefined}
        popoverTarget={id}
        aria-label={label}
        aria-haspopup="true"
      >
        {children ?? '⋯'}
      </button>
      <div ref={list} id={id} popover="auto" className={styles.menu} onToggle={place}>
        {items.map(({ label: text, onSelect, isDanger = false, disabledBecause }) => (
          <button
            key={text}
            type="button"
            data-kind={isDanger ? 'danger' : undefined}
            aria-disabled={disabledBecause !== undefined}
            onClick={() => {
              if (disabledBecause !== undefined) return
              list.current?.hidePopover()
              button.current?.focus()
              onSelect()
            }}
          >
            {text}
            {disabledBecause === undefined ? null : <small>{disabledBecause}</small>}
          </button>
        ))}
      </div>
    </>
  )
}
