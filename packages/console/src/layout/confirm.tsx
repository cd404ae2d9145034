import { type ReactNode, useState } from 'react'
import { type Attempt, useAction } from '../session/action.ts'
import { foreign } from '../text/format.ts'
import { TextField } from '../ui/fields.tsx'
import { FormDialog } from './form.tsx'

interface ConfirmProps {
  readonly title: string
  readonly submit: string
  /** Default: danger. */
  readonly kind?: 'primary' | 'danger'
  /** The text of the button that changes nothing. */
  readonly dismiss?: string
  /** The text that the person types before the action, such as the name of what is deleted. */
  readonly typed?: string
  readonly call: (attempt: Attempt) => Promise<unknown>
  readonly onDone?: () => void
  readonly onClose: () => void
  /** The effect of the action, and whether it can be reversed. */
  readonly children: ReactNode
}

/** A question before an action that cannot be taken back. */
export function Confirm({
  title,
  submit,
  kind = 'danger',
  dismiss = 'Cancel',
  typed,
  call,
  onDone,
  onClose,
  children,
}: ConfirmProps) {
  const [text, setText] = useState('')
  const action = useAction({
    call,
    onSuccess: () => {
      onClose()
      onDone?.()
    },
  })
  return (
    <FormDialog
      title={title}
      action={action}
      submit={submit}
      kind={kind}
      isReady={typed === undefined || collapseSpaces(text) === collapseSpaces(typed)}
      onClose={onClose}
      dismiss={dismiss}
      isSafeFirst={typed === undefined}
    >
      <div>{children}</div>
      {typed === undefined ? null : (
        <TextField label={`Type “${foreign(typed)}” to confirm`} value={text} onChange={setText} />
      )}
    </FormDialog>
  )
}

/** As a page shows it: a row of spaces, of any kind, is one. */
const collapseSpaces = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
