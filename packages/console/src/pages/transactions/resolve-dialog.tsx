import type { Operation } from '@payments/client/schemas'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { api } from '../../session/api.ts'
import { optionsAfter, SelectField, TextAreaField } from '../../ui/fields.tsx'

interface ResolveDialogProps {
  readonly transactionId: string
  readonly operation: Operation
  readonly onClose: () => void
}

type Outcome = 'succeeded' | 'declined' | 'not_attempted'

/** Sets the outcome of an operation in review. */
export function ResolveDialog({ transactionId, operation, onClose }: ResolveDialogProps) {
  const { values, bind, action } = useForm({
    initial: { outcome: '' as Outcome | '', note: '' },
    call: ({ outcome, note }) =>
      api.resolveOperation({
        transaction_id: transactionId,
        operation_id: operation.id,
        body: { outcome: outcome as Outcome, note: note.trim() },
      }),
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={`Set the outcome of the ${operation.type}`}
      onClose={onClose}
      action={action}
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

const outcomes = optionsAfter<Outcome>('Choose …', {
  succeeded: 'It succeeded',
  declined: 'It was declined',
  not_attempted: 'It had no effect',
})
