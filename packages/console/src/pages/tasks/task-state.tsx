import type { Task } from '@payments/client/schemas'
import { formatCount } from '../../text/format.ts'
import { State, type Tones } from '../../ui/content.tsx'
import styles from './tasks.module.css'

/** A task by what it does with deliveries. */
export const taskNames: Readonly<Record<string, string>> = {
  redrive: 'Redrive',
  discard: 'Discard',
  recover: 'Recovery',
  discard_held: 'Discard of held deliveries',
}

const tones: Tones = { done: 'good', failed: 'bad', canceled: 'warning' }

export const TaskState = ({ status }: Pick<Task, 'status'>) => <State state={status} tones={tones} />

/** How many of its deliveries a task has changed. */
export function Progress({ done, total }: Pick<Task, 'done' | 'total'>) {
  return (
    <span className={styles.progress}>
      <progress aria-label="Progress of the task" max={Math.max(total, done, 1)} value={done} />
      <span>
        {formatCount(done)} of {formatCount(total)}
      </span>
    </span>
  )
}

/** The statuses of the deliveries that a task restarted, each in words and with its number. */
export const listOutcomes = (outcomes: NonNullable<Task['outcomes']>) => [
  { name: 'delivered', number: outcomes.delivered, status: 'delivered', tone: 'good' },
  { name: 'died again', number: outcomes.dead, status: 'dead', tone: 'bad' },
  { name: 'waiting', number: outcomes.waiting, status: 'pending,delivering,retrying,held', tone: 'warning' },
]
