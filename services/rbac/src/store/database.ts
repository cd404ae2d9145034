import { epochStatementName } from '@payments/chassis/epoch'
import { poolSettings } from '@payments/chassis/pool'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient

export interface Database extends Transactions<Tx> {
  /** For the relay: the outbox is no tenant's. */
  readonly sql: SqlTx
  /** Called after each commit: the relay's kick. */
  afterCommit(listener: () => void): void
  /** null, or why the database cannot be used. */
  check(): Promise<string | null>
  close(): Promise<void>
}

export function openDatabase(url: string): Database {
  const statements = { statementNameGenerator: ({ sql }: { sql: string }) => epochStatementName(sql) }
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max: 20, ...poolSettings }, statements),
  })
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
