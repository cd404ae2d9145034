import type { Operation } from '@payments/client/schemas'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'

interface ResolveDialogProps {
  readonly transactionId: string
  readonly operation: Operation
  readonly onClose: () => void
}

type Outcome = 'succeeded' | 'declined' | 'not_attempted'

/** Sets the outcome of an operation in review. */
export function ResolveDialog({ transactionId, operation, onClose }: ResolveDialogProps) {
  const [outcome, setOutcome] = useState('')
  const [note, setNote] = useState('')
  const resolve = useAction({
    call: () =>
      api.resolveOperation({
        transaction_id: transactionId,
        operation_id: operation.id,
        body: { outcome: outcome as Outcome, note: note.trim() },
      }),
    onSuccess: onClose,
    fields: ['/outcome', '/note'],
  })
  return (
    <Dialog title={`Set the outcome of the ${operation.type}`} onClose={onClose}>
      <Form
        action={resolve}
        submit="Set the outcome"
        kind="danger"
        isReady={outcome !== '' && note.trim() !== ''}
        onSubmit={() => resolve.run(undefined)}
        onCancel={onClose}
      >
        <p>
          Look the operation up at the payment provider first. The outcome changes amounts and causes an event. It
          cannot be changed afterwards.
        </p>
        <Field label="Outcome at the provider" error={resolve.failureOf('/outcome')}>
          {(control) => <Select {...control} value={outcome} options={outcomes} onChange={setOutcome} />}
        </Field>
        <Field label="Note" hint="Where the outcome was found." error={resolve.failureOf('/note')}>
          {(control) => (
            <textarea
              {...control}
              required
              maxLength={1_000}
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}

const outcomes = [
  { value: '', label: 'Choose …' },
  { value: 'succeeded', label: 'It succeeded' },
  { value: 'declined', label: 'It was declined' },
  { value: 'not_attempted', label: 'It had no effect' },
]
