import type { PoolOptions, Database as ServiceDatabase } from '@payments/chassis/database/database'
import type { Transactions } from '@payments/chassis/database/transaction'
import { databaseOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { type ChangeNotes, createChangeNotes } from './change-notes.ts'
import { createDeliverySteps, type DeliverySteps } from './delivery-steps.ts'
import { createLastOutcomes, type LastOutcomes } from './last-outcomes.ts'

export type Tx = Prisma.TransactionClient
export type Database = ServiceDatabase<Tx>

/** On the hot path of the dispatcher, a statement is a transaction of its own: one round trip. */
export interface DispatcherDatabase extends Database {
  readonly steps: DeliverySteps
  readonly lastOutcomes: LastOutcomes
  readonly changes: ChangeNotes
}

const migrations = new URL('../../prisma/migrations/', import.meta.url)

export const openDatabase = databaseOpener<Tx>(PrismaClient, { migrations })

const openDispatcher = databaseOpener<Tx>(PrismaClient, {
  migrations,
  connectionsMax: 10,
  crossTenantConnectionsMax: 10,
})

/** The statements of the hot path see the rows of all tenants. Each still names the tenant. */
export function openDispatcherDatabase(url: string, pool: PoolOptions = {}): DispatcherDatabase {
  const db = openDispatcher(url, pool)
  const { crossTenant: sql } = db
  const notes = { lastOutcomes: createLastOutcomes(sql), changes: createChangeNotes(sql) }
  return { ...db, steps: createDeliverySteps(sql), ...notes }
}

/** One transaction of a tenant or, with `tenantId` null, of an operator over all tenants. */
export function inScope<R>(db: Transactions<Tx>, tenantId: string | null, work: (tx: Tx) => Promise<R>): Promise<R> {
  return tenantId === null ? db.acrossTenants(work) : db.inTenant(tenantId, work)
}
