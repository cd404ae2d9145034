import { type CountedTable, countHours } from '@payments/chassis/database/hourly-counts'
import type { Deps } from '../deps.ts'

const counted: CountedTable = {
  table: 'deliveries',
  finalStatuses: ['delivered', 'discarded'],
}

/** Counts due hours of tenants after `after`. Returns where the next run continues. */
export function countDeliveries(
  deps: Pick<Deps, 'db' | 'log'>,
  after: string | null,
  now = new Date(),
): Promise<string | null> {
  return countHours(deps, counted, now, after)
}
