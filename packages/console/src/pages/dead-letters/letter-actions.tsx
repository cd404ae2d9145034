import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { Actions, offerDialog } from '../../layout/actions.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { Loaded } from '../../layout/page.tsx'
import { DeliveryCount, RateField, rateBody } from '../../parts/webhooks/task-fields.tsx'
import type { Attempt } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { TextField } from '../../ui/fields.tsx'
import { buildBody, describeSize, type Selection } from './selection.ts'

interface LetterActionsProps {
  readonly selection: Selection
  /** Of the buttons: the size of the selection, unless there is one dead letter only. */
  readonly isSingle?: boolean
  /** False for an empty list. An open dialog stays when the last row leaves. */
  readonly hasButtons?: boolean
}

/** The actions on dead letters. Each action counts them before it changes them. */
export function LetterActions({ selection, isSingle = false, hasButtons = true }: LetterActionsProps) {
  const size = isSingle ? '' : ` ${describeSize(selection)}`
  return (
    <Actions
      actions={[
        offerDialog(
          'redriveDeadLetters',
          `Redrive${size}`,
          (close) => <RedriveDialog selection={selection} onClose={close} />,
          { kind: 'primary', isOffered: hasButtons },
        ),
        offerDialog(
          'discardDeadLetters',
          `Discard${size}`,
          (close) => <DiscardDialog selection={selection} onClose={close} />,
          { kind: 'danger', isOffered: hasButtons },
        ),
      ]}
    />
  )
}

interface LetterDialogProps {
  readonly selection: Selection
  readonly onClose: () => void
}

/** Sends dead letters again. */
function RedriveDialog({ selection, onClose }: LetterDialogProps) {
  const { query, count, form, bind } = useTaskForm({
    initial: { rate_per_second: '' },
    countAll: (options) => api.redriveDeadLetters({ body: { ...buildBody(selection), dry_run: true } }, options),
    start: ({ rate_per_second: rate }, countedAt, { idempotencyKey }) =>
      api.redriveDeadLetters({ body: { ...buildBody(selection, countedAt), ...rateBody(rate) } }, { idempotencyKey }),
    onClose,
  })
  return (
    <FormDialog title="Redrive dead letters" submit="Start" isReady={count > 0} {...form}>
      <Loaded query={query}>{() => <DeliveryCount count={count} effect="would be sent" />}</Loaded>
      <RateField total={count} {...bind('rate_per_second')} />
      <small>A task sends the deliveries, each with a new schedule. You can follow and cancel the task.</small>
    </FormDialog>
  )
}

/** The API requires a reason, also of a dry run. */
const reasonOfDryRun = 'dry run'

/** Discards dead letters for good. */
function DiscardDialog({ selection, onClose }: LetterDialogProps) {
  const { query, count, form, bind, values } = useTaskForm({
    initial: { reason: '' },
    countAll: (options) =>
      api.discardDeadLetters({ body: { ...buildBody(selection), reason: reasonOfDryRun, dry_run: true } }, options),
    start: ({ reason }, countedAt, { idempotencyKey }) =>
      api.discardDeadLetters({ body: { ...buildBody(selection, countedAt), reason } }, { idempotencyKey }),
    onClose,
  })
  const isReady = count > 0 && values.reason.trim() !== ''
  return (
    <FormDialog title="Discard dead letters" submit="Discard" kind="danger" isReady={isReady} {...form}>
      <Loaded query={query}>{() => <DeliveryCount count={count} effect="would be discarded for good" />}</Loaded>
      <TextField
        label="Reason"
        hint="Shown with each discarded delivery."
        isRequired
        maxLength={500}
        {...bind('reason')}
      />
    </FormDialog>
  )
}

type Reply = { readonly count: number; readonly counted_at: string } | { readonly task_id: string }

interface TaskOptions<Values> {
  readonly initial: Values
  /** The call with `dry_run`. */
  readonly countAll: (options: { signal: AbortSignal }) => PromiseLike<Reply>
  readonly start: (values: Values, countedAt: string | undefined, attempt: Attempt) => Promise<Reply>
  readonly onClose: () => void
}

/** A form that starts a task after a dry run, once for each dialog that opens, and then opens the page of the task. */
function useTaskForm<Values extends object>({ initial, countAll, start, onClose }: TaskOptions<Values>) {
  const navigate = useNavigate()
  const id = useId()
  const query = useQuery({
    queryKey: ['dry-run', id],
    queryFn: async ({ signal }) => {
      const reply = await countAll({ signal })
      if (!('count' in reply)) throw new Error('a dry run started a task')
      return reply
    },
    gcTime: 0,
    // Not read again after a failure: the same call is sent again.
    staleTime: 'static',
    refetchOnWindowFocus: false,
  })
  const { action, ...form } = useForm({
    initial,
    call: (values, attempt) => start(values, query.data?.counted_at, attempt),
    onSuccess: (reply) => {
      onClose()
      if ('task_id' in reply) void navigate({ to: `/tasks/${reply.task_id}` })
    },
  })
  return { ...form, query, count: query.data?.count ?? 0, form: { action, onClose } }
}
