import type { Task } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { ListPage } from '../../layout/list.tsx'
import { TaskLink } from '../../parts/links.tsx'
import { formatCount } from '../../text/format.ts'
import { Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { listOutcomes, Progress, TaskState, taskNames } from './task-state.tsx'

/** The tasks of the tenant over many deliveries, newest first. */
export function TasksPage() {
  return (
    <ListPage
      title="Tasks"
      about="Redrives, discards and recoveries of many deliveries. A task is listed until 30 days after its end."
      operation="listDeadLetterTasks"
      topic="tasks"
      columns={columns}
      empty="There is no task yet."
      hint={
        <p>
          Redrive <Link to="/dead-letters">dead letters</Link>, or recover what a{' '}
          <Link to="/subscriptions">subscription</Link> missed, and follow the progress here.
        </p>
      }
    />
  )
}

const columns: readonly Column<Task>[] = [
  { name: 'Task', cell: ({ id, kind }) => <TaskLink id={id}>{taskNames[kind]}</TaskLink> },
  { name: 'Status', width: '8rem', cell: ({ status }) => <TaskState status={status} /> },
  { name: 'Progress', width: 'minmax(0, 1.5fr)', cell: (task) => <Progress done={task.done} total={task.total} /> },
  { name: 'Outcome', width: 'minmax(0, 1.5fr)', cell: ({ outcomes }) => outcomeText(outcomes) },
  { name: 'Created', width: '9rem', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Ended', width: '9rem', cell: ({ finished_at }) => <Time at={finished_at} fallback="running" /> },
]

function outcomeText(outcomes: Task['outcomes']): string {
  const parts = outcomes === null ? [] : listOutcomes(outcomes)
  return parts.flatMap(({ number, name }) => (number > 0 ? [`${formatCount(number)} ${name}`] : [])).join(', ')
}
