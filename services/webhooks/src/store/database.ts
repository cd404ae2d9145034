import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { createDeliverySteps, type DeliverySteps } from './delivery-steps.ts'

export type Tx = Prisma.TransactionClient
export type Sql = SqlTx

export interface Database extends Transactions<Tx> {
  /** null, or why the database cannot be used. */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** The dispatcher works for every tenant, and on its hot path a statement is a transaction of its own: one round trip. */
export interface DispatcherDatabase extends Database {
  readonly sql: Sql
  readonly steps: DeliverySteps
}

/** One transaction of a tenant, or, where `tenantId` is null, of an operator: over every tenant. */
export function inScope<R>(db: Transactions<Tx>, tenantId: string | null, work: (tx: Tx) => Promise<R>): Promise<R> {
  return tenantId === null ? db.acrossTenants(work) : db.inTenant(tenantId, work)
}

const pool = { connectionTimeoutMillis: 5_000, idleTimeoutMillis: 30_000, statement_timeout: 10_000 }

export function openDatabase(url: string): Database {
  const { check, close, db } = open(new PrismaPg({ connectionString: url, max: 20, ...pool }))
  return { ...db, check, close }
}

/** Its connections see the rows of all tenants; each statement of the hot path names the tenant none the less. */
export function openDispatcherDatabase(url: string): DispatcherDatabase {
  const options = '-c app.tenant_id=*'
  const { prisma, check, close, db } = open(new PrismaPg({ connectionString: url, max: 20, options, ...pool }))
  return { ...db, sql: prisma, steps: createDeliverySteps(prisma), check, close }
}

function open(adapter: PrismaPg) {
  const prisma = new PrismaClient({ adapter })
  return {
    prisma,
    db: transactions<Tx>(prisma, () => {}),
    check: async () => {
      await prisma.$queryRaw`SELECT 1`
      return null
    },
    close: () => prisma.$disconnect(),
  }
}
