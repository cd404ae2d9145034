import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { TextField } from '../../ui/fields.tsx'
import { DryRun, useDryRun } from './dry-run.tsx'
import { buildBody, type Selection } from './selection.ts'

/** The API requires a reason, also of a dry run. */
const reasonOfDryRun = 'dry run'

/** Discards dead letters for good, after a dry run that counts them, and opens the page of the task. */
export function DiscardDialog({ selection, onClose }: { selection: Selection; onClose: () => void }) {
  const navigate = useNavigate()
  const [reason, setReason] = useState('')
  const dryRun = useDryRun('discard', (options) =>
    api.discardDeadLetters({ body: { ...buildBody(selection), reason: reasonOfDryRun, dry_run: true } }, options),
  )
  const discard = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.discardDeadLetters(
        { body: { ...buildBody(selection, dryRun.data?.counted_at), reason } },
        { idempotencyKey },
      ),
    onSuccess: (reply) => {
      onClose()
      if ('task_id' in reply) void navigate({ to: '/tasks/$taskId', params: { taskId: reply.task_id } })
    },
    fields: ['/reason'],
  })
  const size = dryRun.data?.count
  return (
    <FormDialog
      title="Discard dead letters"
      onClose={onClose}
      action={discard}
      submit="Discard"
      kind="danger"
      isReady={size !== undefined && size > 0 && reason.trim() !== ''}
    >
      <DryRun query={dryRun} effect="would be discarded for good" />
      <TextField
        label="Reason"
        hint="Shown with each discarded delivery."
        error={discard.fieldError('/reason')}
        isRequired
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
    </FormDialog>
  )
}
