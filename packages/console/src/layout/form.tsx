import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Action } from '../session/action.ts'
import { useOpenDialogWhile } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

export interface FormProps {
  readonly action: Pick<Action<never>, 'isRunning' | 'failure'> & Partial<Pick<Action<never>, 'reason'>>
  readonly submit: string
  readonly kind?: 'primary' | 'danger' | undefined
  readonly isReady?: boolean
  readonly onSubmit: () => void
  readonly onCancel?: () => void
  /** The text of the button that closes the form. */
  readonly dismiss?: string
  /** Whether a dialog starts at the button that changes nothing. */
  readonly isSafeFirst?: boolean
  readonly children: ReactNode
}

/**
 * A form of one action: its fields, why it failed, and its button, which is off while the action runs. After a failure
 * the focus moves to the first field with an error, otherwise to the reason.
 */
export function Form({
  action,
  submit,
  kind = 'primary',
  isReady = true,
  onSubmit,
  onCancel,
  dismiss = 'Cancel',
  isSafeFirst = false,
  children,
}: FormProps) {
  const { form, failure } = useFailure(action)
  useOpenDialogWhile(action.isRunning)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!action.isRunning && isReady) onSubmit()
  }
  return (
    <form ref={form} className="stack" onSubmit={send} onInvalidCapture={showField} autoComplete="off">
      {children}
      {failure === undefined ? null : <Notice tone="bad">{failure}</Notice>}
      <div className="row">
        <button type="submit" data-kind={kind} disabled={!isReady} aria-disabled={action.isRunning}>
          {action.isRunning ? 'One moment …' : submit}
        </button>
        {onCancel === undefined ? null : (
          <button
            type="button"
            data-start={isSafeFirst || undefined}
            aria-disabled={action.isRunning}
            onClick={action.isRunning ? undefined : onCancel}
          >
            {dismiss}
          </button>
        )}
      </div>
    </form>
  )
}

/** A field that the browser rejects is shown, also in a closed part of the form. */
function showField({ target }: FormEvent): void {
  if (target instanceof Element) target.closest('details')?.setAttribute('open', '')
}

/**
 * Focuses the first error once the action has ended. Returns the failure to show: also that of fields, where the form
 * shows none of them. A form that the success closes is gone by then.
 */
function useFailure({ isRunning, failure, reason }: FormProps['action']) {
  const form = useRef<HTMLFormElement>(null)
  const wasRunning = useRef(isRunning)
  const [isUnplaced, setUnplaced] = useState(false)
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning
    wasRunning.current = isRunning
    if (isRunning) setUnplaced(false)
    if (!hasEnded && !isUnplaced) return
    const error = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"][tabindex]')
    error?.closest('details')?.setAttribute('open', '')
    error?.focus()
    if (hasEnded) setUnplaced(error === null && reason !== undefined)
  }, [isRunning, isUnplaced, reason])
  return { form, failure: failure ?? (isUnplaced ? reason : undefined) }
}
