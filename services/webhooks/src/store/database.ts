import { poolSettings } from '@payments/chassis/pool'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { createDeliverySteps, type DeliverySteps } from './delivery-steps.ts'

export type Tx = Prisma.TransactionClient
export type Sql = SqlTx

export interface Database extends Transactions<Tx> {
  /** For the relay: the outbox has no tenant. */
  readonly sql: Sql
  /** Called after each commit, to wake the relay. */
  afterCommit(listener: () => void): void
  /** null, or the reason why the database is unavailable. */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** On the hot path of the dispatcher, a statement is a transaction of its own: one round trip. */
export interface DispatcherDatabase extends Database {
  readonly steps: DeliverySteps
}

/** One transaction of a tenant or, with `tenantId` null, of an operator over all tenants. */
export function inScope<R>(db: Transactions<Tx>, tenantId: string | null, work: (tx: Tx) => Promise<R>): Promise<R> {
  return tenantId === null ? db.acrossTenants(work) : db.inTenant(tenantId, work)
}

export function openDatabase(url: string): Database {
  return open(new PrismaPg({ connectionString: url, max: 20, ...poolSettings }))
}

/** Connections that see the rows of all tenants. Each statement of the hot path still names the tenant. */
export function openDispatcherDatabase(url: string): DispatcherDatabase {
  const options = '-c app.tenant_id=*'
  const db = open(new PrismaPg({ connectionString: url, max: 20, options, ...poolSettings }))
  return { ...db, steps: createDeliverySteps(db.sql) }
}

function open(adapter: PrismaPg): Database {
  const prisma = new PrismaClient({ adapter })
  let committed = () => {}
  return {
    ...transactions<Tx>(prisma, () => committed()),
    sql: prisma,
    afterCommit: (listener) => {
      committed = listener
    },
    check: async () => {
      await prisma.$queryRaw`SELECT 1`
      return null
    },
    close: () => prisma.$disconnect(),
  }
}
