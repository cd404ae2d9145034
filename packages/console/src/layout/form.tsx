import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Action } from '../session/action.ts'
import { useOpenDialogWhile } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

interface FormProps {
  readonly action: Pick<Action<never>, 'isRunning' | 'failure'>
  readonly submit: string
  readonly kind?: 'primary' | 'danger'
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
  const form = useFocusOnFailure(action.isRunning)
  useOpenDialogWhile(action.isRunning)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!action.isRunning && isReady) onSubmit()
  }
  return (
    <form ref={form} className="stack" onSubmit={send} autoComplete="off">
      {children}
      {action.failure === undefined ? null : <Notice tone="bad">{action.failure}</Notice>}
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

/** Of the form, once its action has ended. A form that the success closes is gone by then. */
function useFocusOnFailure(isRunning: boolean) {
  const form = useRef<HTMLFormElement>(null)
  const wasRunning = useRef(isRunning)
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"][tabindex]')?.focus()
    }
    wasRunning.current = isRunning
  }, [isRunning])
  return form
}
