import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { DryRun, useDryRun } from './dry-run.tsx'
import { bodyOf, type Selection } from './selection.ts'

/** The API requires a reason, also of a dry run. */
const reasonOfDryRun = 'dry run'

/** Discards dead letters for good, after a dry run that counts them, and opens the page of the task. */
export function DiscardDialog({ selection, onClose }: { selection: Selection; onClose: () => void }) {
  const navigate = useNavigate()
  const [reason, setReason] = useState('')
  const dryRun = useDryRun('discard', (options) =>
    api.discardDeadLetters({ body: { ...bodyOf(selection), reason: reasonOfDryRun, dry_run: true } }, options),
  )
  const discard = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.discardDeadLetters({ body: { ...bodyOf(selection, dryRun.data?.counted_at), reason } }, { idempotencyKey }),
    onSuccess: (reply) => {
      onClose()
      if ('task_id' in reply) void navigate({ to: '/tasks/$taskId', params: { taskId: reply.task_id } })
    },
    fields: ['/reason'],
  })
  const size = dryRun.data?.count
  return (
    <Dialog title="Discard dead letters" onClose={onClose}>
      <Form
        action={discard}
        submit="Discard"
        kind="danger"
        isReady={size !== undefined && size > 0 && reason.trim() !== ''}
        onSubmit={() => discard.run(undefined)}
        onCancel={onClose}
      >
        <DryRun query={dryRun} effect="would be discarded for good" />
        <Field label="Reason" hint="Shown with each discarded delivery." error={discard.failureOf('/reason')}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={500}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  )
}
