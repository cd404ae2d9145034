import type { FormEvent, ReactNode } from 'react'
import type { Action } from '../session/action.ts'
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
  readonly children: ReactNode
}

/** A form of one action: its fields, why it failed, and its button, which is off while the action runs. */
export function Form({
  action,
  submit,
  kind = 'primary',
  isReady = true,
  onSubmit,
  onCancel,
  dismiss = 'Cancel',
  children,
}: FormProps) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!action.isRunning && isReady) onSubmit()
  }
  return (
    <form className="stack" onSubmit={send} autoComplete="off">
      {children}
      {action.failure === undefined ? null : <Notice tone="bad">{action.failure}</Notice>}
      <div className="row">
        <button type="submit" data-kind={kind} disabled={action.isRunning || !isReady}>
          {action.isRunning ? 'One moment …' : submit}
        </button>
        {onCancel === undefined ? null : (
          <button type="button" onClick={onCancel}>
            {dismiss}
          </button>
        )}
      </div>
    </form>
  )
}
