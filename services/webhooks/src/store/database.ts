import {
  type ClientPool,
  openPrismaDatabase,
  type PoolOptions,
  type Database as PrismaDatabase,
} from '@payments/chassis/database/database'
import type { Transactions } from '@payments/chassis/database/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { createDeliverySteps, type DeliverySteps } from './delivery-steps.ts'

export type Tx = Prisma.TransactionClient
export type Database = PrismaDatabase<Tx>

/** On the hot path of the dispatcher, a statement is a transaction of its own: one round trip. */
export interface DispatcherDatabase extends Database {
  readonly steps: DeliverySteps
}

const migrations = new URL('../../prisma/migrations/', import.meta.url)

const createClient = (pool: ClientPool) => new PrismaClient({ adapter: new PrismaPg(pool) })

/** One transaction of a tenant or, with `tenantId` null, of an operator over all tenants. */
export function inScope<R>(db: Transactions<Tx>, tenantId: string | null, work: (tx: Tx) => Promise<R>): Promise<R> {
  return tenantId === null ? db.acrossTenants(work) : db.inTenant(tenantId, work)
}

export function openDatabase(url: string, pool: PoolOptions = {}): Database {
  return openPrismaDatabase<Tx>(createClient, url, { migrations, ...pool })
}

/** Connections that see the rows of all tenants. Each statement of the hot path still names the tenant. */
export function openDispatcherDatabase(url: string, pool: PoolOptions = {}): DispatcherDatabase {
  const options = { migrations, sessionOptions: '-c app.tenant_id=*', ...pool }
  const db = openPrismaDatabase<Tx>(createClient, url, options)
  return { ...db, steps: createDeliverySteps(db.sql) }
}
