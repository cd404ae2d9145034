import type { Task } from '@payments/client/schemas'
import { Link, useParams } from '@tanstack/react-router'
import { Actions, confirmAction } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { Created } from '../../parts/links.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { api, type OperationName } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign, formatCount, formatDuration } from '../../text/format.ts'
import { CopyField, Details, Notice, Time } from '../../ui/content.tsx'
import { listOutcomes, Progress, TaskState, taskNames } from './task-state.tsx'

/** One task: its progress while it runs, and a button that cancels it. */
export function TaskPage() {
  const { task_id: taskId = '' } = useParams({ strict: false })
  // A person who may start recoveries, and no more, reads them alone.
  const readsRecovery = !usePermitted('readDeadLetterTask') && usePermitted('readRecovery')
  const page = {
    noun: 'Task',
    topic: 'tasks',
    title: ({ kind }: Task) => taskNames[kind] ?? 'Task',
    about: () => 'A task over many deliveries. It continues when you close this page.',
    isChanging: ({ status, outcomes }: Task) => status === 'running' || outcomes?.final === false,
    actions: (task: Task) => <CancelTask task={task} />,
    children: (task: Task) => <TaskDetails task={task} />,
  }
  return readsRecovery ? (
    <ResourcePage {...page} operation="readRecovery" args={{ recovery_id: taskId }} />
  ) : (
    <ResourcePage {...page} operation="readDeadLetterTask" />
  )
}

/** The operation that starts such a task: its permission cancels the task too. */
const starts = {
  redrive: 'redriveDeadLetters',
  discard: 'discardDeadLetters',
  discard_held: 'discardHeldDeliveries',
  recover: 'recoverSubscription',
} as const satisfies Record<Task['kind'], OperationName>

function CancelTask({ task: { id, kind, status } }: { task: Task }) {
  if (status !== 'running') return null
  return (
    <Actions
      actions={[
        confirmAction({
          operation: starts[kind],
          label: 'Cancel task',
          kind: 'danger',
          title: 'Cancel this task?',
          submit: 'Cancel the task',
          dismiss: 'Let it run',
          call: () =>
            kind === 'recover' ? api.cancelRecovery({ recovery_id: id }) : api.cancelDeadLetterTask({ task_id: id }),
          effect:
            'The deliveries that it has changed stay changed, and the others stay as they are. A canceled task cannot be continued: start another one for what is left.',
        }),
      ]}
    />
  )
}

function TaskDetails({ task }: { task: Task }) {
  const { status, done, total, reason, outcomes, subscription_id: subscriptionId } = task
  return (
    <>
      <Details
        facts={{
          Status: <TaskState status={status} />,
          Progress: <Progress done={done} total={total} />,
          Outcome: outcomes === null ? null : <TaskOutcomes taskId={task.id} outcomes={outcomes} />,
          Rate: rateText(task),
          Subscription: subscriptionId === null ? null : <SubscriptionLink id={subscriptionId} />,
          Reason: reason === null ? null : foreign(reason),
          Created: <Created {...task} />,
          Ended: <Time at={task.finished_at} fallback="running" />,
          Id: <CopyField label="the id" value={task.id} />,
        }}
      />
      {status === 'canceled' ? (
        <Notice tone="warning">
          The task was canceled. The {formatCount(done)} deliveries that it changed stay changed.
        </Notice>
      ) : null}
      {status === 'failed' ? (
        <Notice tone="bad">Ten batches in a row failed. Start another task for what is left.</Notice>
      ) : null}
      {status === 'done' && done < total ? (
        <Notice tone="info">The other deliveries had already changed when the task came to them.</Notice>
      ) : null}
      <p>
        <Link to="/tasks">All tasks</Link>
      </p>
    </>
  )
}

function rateText({ status, done, total, rate_per_second: rate }: Task): string {
  if (rate === null) return 'no limit'
  const left = status === 'running' && done < total ? `, at least ${formatDuration((total - done) / rate)} left` : ''
  return `${formatCount(rate)} a second${left}`
}

/** The outcomes of the deliveries that a task restarted, with a link to each kind. */
function TaskOutcomes({ taskId, outcomes }: { taskId: string; outcomes: NonNullable<Task['outcomes']> }) {
  const { discarded } = outcomes
  const shown = [
    ...listOutcomes(outcomes),
    ...(discarded > 0 ? [{ name: 'discarded', number: discarded, status: 'discarded', tone: undefined }] : []),
  ]
  return (
    <>
      <ul className="row" aria-label="Outcome of the deliveries">
        {shown.map(({ name, number, status, tone }) => (
          <li key={name} className="badge" data-tone={number > 0 ? tone : undefined}>
            {number === 0 ? (
              `0 ${name}`
            ) : (
              <Link to="/deliveries" search={{ task_id: taskId, status }}>
                {formatCount(number)} {name}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {outcomes.superseded === 0 ? null : (
        <small>
          {formatCount(outcomes.superseded)} more were restarted by a later task, or are past the retention.
        </small>
      )}
    </>
  )
}
