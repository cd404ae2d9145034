import { createTurns } from '@payments/chassis/database/turns'
import type { Deps } from '../deps.ts'
import { dueOrder } from '../store/provider-events.ts'
import { nextAuthorizationExpiry } from '../store/transactions.ts'

/** The turns of the tenants, for the rows that the jobs look for. */
export const createTurnsOfJobs = () => ({
  events: createTurns('provider_events', { order: dueOrder }),
  sandboxRefunds: createTurns('sandbox_operations', { dueAt: 'fails_at' }),
})

/** When the next authorization expires. */
export const nextExpiry = ({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number | null> =>
  nextAuthorizationExpiry(db.crossTenant, now())
