import type { Task } from '@payments/client/schemas'
import { count } from '../../text/format.ts'
import styles from './tasks.module.css'

/** A task by what it does with deliveries. */
export const taskNames: Readonly<Record<string, string>> = {
  redrive: 'Redrive',
  discard: 'Discard',
  recover: 'Recovery',
  discard_held: 'Discard of held deliveries',
}

const tones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  done: 'good',
  failed: 'bad',
  canceled: 'warning',
}

/** The status of a task as the API names it. */
export function TaskState({ status }: Pick<Task, 'status'>) {
  return (
    <span className="badge" data-tone={tones[status]}>
      {status}
    </span>
  )
}

/** How many of its deliveries a task has changed. */
export function Progress({ done, total }: Pick<Task, 'done' | 'total'>) {
  return (
    <span className={styles.progress}>
      <progress aria-label="Progress of the task" max={Math.max(total, done, 1)} value={done} />
      <span>
        {count(done)} of {count(total)}
      </span>
    </span>
  )
}
