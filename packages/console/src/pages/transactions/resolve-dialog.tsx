import type { Operation } from '@payments/client/schemas'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { type Option, SelectField, TextAreaField } from '../../ui/fields.tsx'

interface ResolveDialogProps {
  readonly transactionId: string
  readonly operation: Operation
  readonly onClose: () => void
}

type Outcome = 'succeeded' | 'declined' | 'not_attempted'

interface Values {
  readonly outcome: Outcome | ''
  readonly note: string
}

/** Sets the outcome of an operation in review. */
export function ResolveDialog({ transactionId, operation, onClose }: ResolveDialogProps) {
  const [values, change] = useValues<Values>({ outcome: '', note: '' })
  const resolve = useAction({
    call: () =>
      api.resolveOperation({
        transaction_id: transactionId,
        operation_id: operation.id,
        body: { outcome: values.outcome as Outcome, note: values.note.trim() },
      }),
    onSuccess: onClose,
    fields: ['/outcome', '/note'],
  })
  const bind = bindTo(values, change, resolve.fieldError)
  return (
    <FormDialog
      title={`Set the outcome of the ${operation.type}`}
      onClose={onClose}
      action={resolve}
      submit="Set the outcome"
      kind="danger"
      isReady={values.outcome !== '' && values.note.trim() !== ''}
    >
      <p>
        Look the operation up at the payment provider first. The outcome changes amounts and causes an event. It cannot
        be changed afterwards.
      </p>
      <SelectField label="Outcome at the provider" options={outcomes} {...bind('outcome')} />
      <TextAreaField label="Note" hint="Where the outcome was found." isRequired maxLength={1_000} {...bind('note')} />
    </FormDialog>
  )
}

const outcomes: readonly Option<Outcome | ''>[] = [
  { value: '', label: 'Choose …' },
  { value: 'succeeded', label: 'It succeeded' },
  { value: 'declined', label: 'It was declined' },
  { value: 'not_attempted', label: 'It had no effect' },
]
