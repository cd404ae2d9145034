import type { Task } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { formatCount } from '../../text/format.ts'
import type { Tones } from '../../ui/badge.tsx'

const waitingStatuses = 'pending,delivering,retrying,held'

interface TaskOutcomesProps {
  readonly taskId: string
  readonly outcomes: NonNullable<Task['outcomes']>
}

/** The outcomes of the deliveries that a task restarted, with a link to each kind. */
export function TaskOutcomes({ taskId, outcomes }: TaskOutcomesProps) {
  const parts = [
    { name: 'delivered', number: outcomes.delivered, status: 'delivered' },
    { name: 'died again', number: outcomes.dead, status: 'dead' },
    { name: 'waiting', number: outcomes.waiting, status: waitingStatuses },
    { name: 'discarded', number: outcomes.discarded, status: 'discarded' },
  ]
  const shown = parts.filter(({ name, number }) => number > 0 || name !== 'discarded')
  return (
    <>
      <ul className="row" aria-label="Outcome of the deliveries">
        {shown.map(({ name, number, status }) => (
          <li key={name} className="badge" data-tone={number > 0 ? tones[status] : undefined}>
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

const tones: Tones = {
  delivered: 'good',
  dead: 'bad',
  [waitingStatuses]: 'warning',
}
