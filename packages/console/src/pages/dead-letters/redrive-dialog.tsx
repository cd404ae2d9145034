import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { RateField, rateBody } from '../../parts/webhooks/rate-field.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { DryRun, useDryRun } from './dry-run.tsx'
import { buildBody, type Selection } from './selection.ts'

/** Sends dead letters again, after a dry run that counts them, and opens the page of the task. */
export function RedriveDialog({ selection, onClose }: { selection: Selection; onClose: () => void }) {
  const navigate = useNavigate()
  const [rate, setRate] = useState('')
  const dryRun = useDryRun('redrive', (options) =>
    api.redriveDeadLetters({ body: { ...buildBody(selection), dry_run: true } }, options),
  )
  const redrive = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.redriveDeadLetters(
        { body: { ...buildBody(selection, dryRun.data?.counted_at), ...rateBody(rate) } },
        { idempotencyKey },
      ),
    onSuccess: (reply) => {
      onClose()
      if ('task_id' in reply) void navigate({ to: '/tasks/$taskId', params: { taskId: reply.task_id } })
    },
    fields: ['/rate_per_second'],
  })
  const size = dryRun.data?.count
  return (
    <FormDialog
      title="Redrive dead letters"
      onClose={onClose}
      action={redrive}
      submit="Start"
      isReady={size !== undefined && size > 0}
    >
      <DryRun query={dryRun} effect="would be sent" />
      <RateField value={rate} total={size ?? 0} error={redrive.fieldError('/rate_per_second')} onChange={setRate} />
      <small>A task sends the deliveries, each with a new schedule. You can follow and cancel the task.</small>
    </FormDialog>
  )
}
