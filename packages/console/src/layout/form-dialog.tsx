import type { Action } from '../session/action.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Form, type FormProps } from './form.tsx'

/** By default, the form runs its action, which then has no input. */
type Submission =
  | { readonly action: Action<undefined>; readonly onSubmit?: undefined }
  | Pick<FormProps, 'action' | 'onSubmit'>

type FormDialogProps = Submission &
  Omit<FormProps, 'action' | 'onSubmit' | 'onCancel'> & {
    readonly title: string
    readonly onClose: () => void
  }

/** A form in a dialog, which its second button closes. */
export function FormDialog({ title, onClose, action, onSubmit, ...form }: FormDialogProps) {
  const run = () => (action as Action<undefined>).run(undefined)
  return (
    <Dialog title={title} onClose={onClose}>
      <Form action={action} onSubmit={onSubmit ?? run} onCancel={onClose} {...form} />
    </Dialog>
  )
}
