import type { PoolOptions } from '@payments/chassis/database/database'
import { type ChangeNotes, createChangeNotes } from '../store/changes.ts'
import { type Database, openCrossTenantDatabase } from '../store/database.ts'
import { createDeliverySteps, type DeliverySteps } from '../store/delivery/delivery-steps.ts'
import { createLastOutcomes, type LastOutcomes } from '../store/subscription/last-outcomes.ts'

/** On the hot path of the dispatcher, a statement is a transaction of its own: one round trip. */
export interface DispatcherDatabase extends Database {
  readonly steps: DeliverySteps
  readonly lastOutcomes: LastOutcomes
  readonly changes: ChangeNotes
}

/** The statements of the hot path see the rows of all tenants. Each still names the tenant. */
export function openDispatcherDatabase(url: string, pool: PoolOptions = {}): DispatcherDatabase {
  const db = openCrossTenantDatabase(url, pool)
  const { crossTenant: sql } = db
  const notes = { lastOutcomes: createLastOutcomes(sql), changes: createChangeNotes(sql) }
  return { ...db, steps: createDeliverySteps(sql), ...notes }
}
