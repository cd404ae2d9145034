import { createContext, type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import styles from './dialog.module.css'

/**
 * A modal dialog: the native element holds the focus and gives it back. The parent renders it while it is open. Escape
 * and the button close it, but not while its action runs: the person sees how that ends. A click beside it does not
 * close it, because a form would be lost. The focus starts at the control
 * with `data-start`, otherwise at the first field, otherwise at the first control of the content.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null)
  const heading = useId()
  const isBusy = useRef(false)
  const close = () => {
    if (!isBusy.current) onClose()
  }
  useEffect(() => {
    const dialog = element.current
    const opener = document.activeElement
    if (dialog?.open === false) dialog.showModal()
    focusStart(dialog)
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  // Content that replaced what had the focus, such as a form by its result, is where the reader continues.
  useEffect(() => {
    if (document.activeElement === document.body) focusStart(element.current)
  })
  return (
    <dialog
      ref={element}
      className={styles.dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      // A browser closes at the second Escape in any case.
      onClose={() => {
        if (isBusy.current) element.current?.showModal()
        else onClose()
      }}
    >
      <header className={styles.header}>
        <h2 id={heading}>{title}</h2>
        <button type="button" data-kind="plain" aria-label="Close" onClick={close}>
          ✕
        </button>
      </header>
      <div className={styles.body} data-content>
        <Busy value={isBusy}>{children}</Busy>
      </div>
    </dialog>
  )
}

const Busy = createContext<{ current: boolean }>({ current: false })

/** The dialog around the component stays open while `isRunning`. */
export function useOpenDialogWhile(isRunning: boolean): void {
  const busy = useContext(Busy)
  useEffect(() => {
    busy.current = isRunning
    return () => {
      busy.current = false
    }
  }, [busy, isRunning])
}

const starts = ['[data-start]', ':is(input, select, textarea):enabled', ':is(button:enabled, a[href])']

function focusStart(dialog: HTMLDialogElement | null): void {
  const content = dialog?.querySelector('[data-content]')
  const start = starts.map((selector) => content?.querySelector<HTMLElement>(selector)).find((found) => found != null)
  start?.focus()
}
