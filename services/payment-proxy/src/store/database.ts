import { poolSettings } from '@payments/chassis/pool'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient

export interface Database extends Transactions<Tx> {
  /** For the outbox relay: its table has no row-level security. */
  readonly sql: SqlTx
  /** Called after each commit; notifies the outbox relay. */
  afterCommit(listener: () => void): void
  /** null, or the reason why the database cannot be used. */
  check(): Promise<string | null>
  close(): Promise<void>
}

export function openDatabase(url: string, connectionsMax = 20): Database {
  const adapter = new PrismaPg({ connectionString: url, max: connectionsMax, ...poolSettings })
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

/** PostgreSQL rejected a row because another row has its key. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'P2002'
}
