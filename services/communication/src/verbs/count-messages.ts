import { type CountedTable, countHours } from '@payments/chassis/database/hourly-counts'
import type { Deps } from '../deps.ts'

const counted: CountedTable = {
  table: 'communications',
  finalStatuses: ['sent', 'failed'],
}

/** Counts due hours of tenants after `after`. Returns where the next run continues. */
export function countMessages(deps: Pick<Deps, 'db' | 'log' | 'now'>, after: string | null): Promise<string | null> {
  return countHours(deps, counted, deps.now(), after)
}
