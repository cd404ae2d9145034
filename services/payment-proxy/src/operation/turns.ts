import { createTurns } from '@payments/chassis/database/turns'
import { dueOrder } from '../store/provider-events.ts'

export const createTurnsOfJobs = () => ({
  operations: createTurns('operations'),
  events: createTurns('provider_events', { order: dueOrder }),
  sandboxRefunds: createTurns('sandbox_operations', { dueAt: 'fails_at' }),
})
