import type { Database as ServiceDatabase } from '@payments/chassis/database/database'
import type { Transactions } from '@payments/chassis/database/transaction'
import { databaseOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = ServiceDatabase<Tx>

const migrations = new URL('../../prisma/migrations/', import.meta.url)

export const openDatabase = databaseOpener<Tx>(PrismaClient, { migrations })

/** With as many connections for statements over all tenants as for transactions. */
export const openCrossTenantDatabase = databaseOpener<Tx>(PrismaClient, {
  migrations,
  connectionsMax: 10,
  crossTenantConnectionsMax: 10,
})

/** One transaction of a tenant or, with `tenantId` null, of an operator over all tenants. */
export function inScope<R>(db: Transactions<Tx>, tenantId: string | null, work: (tx: Tx) => Promise<R>): Promise<R> {
  return tenantId === null ? db.acrossTenants(work) : db.inTenant(tenantId, work)
}
