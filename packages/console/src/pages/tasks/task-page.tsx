import type { Task } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api, type OperationName } from '../../session/api.ts'
import { useChanges } from '../../session/changes.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { count, durationOf } from '../../text/format.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { SubscriptionLink } from '../names/subscription-names.tsx'
import { Creator } from '../users/actor.tsx'
import { TaskOutcomes } from './task-outcomes.tsx'
import { Progress, TaskState, taskNames } from './task-state.tsx'

/** Also without the permission to wait for changes. */
const pollMs = 2_000

/** One task: its progress while it runs, and a button that cancels it. */
export function TaskPage() {
  useChanges()
  const { taskId = '' } = useParams({ strict: false })
  const readsTasks = usePermitted('readDeadLetterTask')
  const readsRecoveries = usePermitted('readRecovery')
  // A person who may start recoveries, and no more, reads them alone.
  const isRecovery = readsRecoveries && !readsTasks
  const query = useQuery({
    queryKey: ['tasks', taskId],
    queryFn: ({ signal }) =>
      isRecovery
        ? api.readRecovery({ recovery_id: taskId }, { signal })
        : api.readDeadLetterTask({ task_id: taskId }, { signal }),
    enabled: readsTasks || readsRecoveries,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'running' || data?.outcomes?.final === false ? pollMs : false,
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Task' : (taskNames[data.kind] ?? 'Task')}
      about="A task over many deliveries. It continues when you close this page."
      operation={isRecovery ? 'readRecovery' : 'readDeadLetterTask'}
      args={isRecovery ? { recovery_id: taskId } : { task_id: taskId }}
      actions={data?.status === 'running' ? <CancelTask task={data} /> : null}
    >
      {() => <Loaded query={query}>{(data) => <Details task={data} />}</Loaded>}
    </Page>
  )
}

/** The operation that starts such a task: its permission cancels the task too. */
const starts = {
  redrive: 'redriveDeadLetters',
  discard: 'discardDeadLetters',
  discard_held: 'discardHeldDeliveries',
  recover: 'recoverSubscription',
} as const satisfies Record<Task['kind'], OperationName>

function CancelTask({ task: { id, kind } }: { task: Task }) {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <>
      <ActionButton operation={starts[kind]} kind="danger" onClick={() => setConfirming(true)}>
        Cancel task
      </ActionButton>
      {isConfirming ? (
        <Confirm
          title="Cancel this task?"
          submit="Cancel the task"
          dismiss="Let it run"
          call={() =>
            kind === 'recover' ? api.cancelRecovery({ recovery_id: id }) : api.cancelDeadLetterTask({ task_id: id })
          }
          onClose={() => setConfirming(false)}
        >
          The deliveries that it has changed stay changed, and the others stay as they are. A canceled task cannot be
          continued: start another one for what is left.
        </Confirm>
      ) : null}
    </>
  )
}

function Details({ task }: { task: Task }) {
  const { status, done, total, reason, subscription_id: subscriptionId } = task
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Status</dt>
          <dd>
            <TaskState status={status} />
          </dd>
          <dt>Progress</dt>
          <dd>
            <Progress done={done} total={total} />
          </dd>
          <TaskOutcomes task={task} />
          <dt>Rate</dt>
          <dd>{rateText(task)}</dd>
          {subscriptionId === null ? null : (
            <>
              <dt>Subscription</dt>
              <dd>
                <SubscriptionLink id={subscriptionId} />
              </dd>
            </>
          )}
          {reason === null ? null : (
            <>
              <dt>Reason</dt>
              <dd>{foreign(reason)}</dd>
            </>
          )}
          <dt>Created</dt>
          <dd>
            <Time at={task.created_at} /> by <Creator by={task.created_by} />
          </dd>
          <dt>Ended</dt>
          <dd>
            <Time at={task.finished_at} fallback="running" />
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={task.id} />
          </dd>
        </dl>
      </section>
      {status === 'canceled' ? (
        <Notice tone="warning">
          The task was canceled. The {count(done)} deliveries that it changed stay changed.
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
  const left = status === 'running' && done < total ? `, at least ${durationOf((total - done) / rate)} left` : ''
  return `${count(rate)} a second${left}`
}
