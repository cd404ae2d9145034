import { poolSettings } from '@payments/chassis/pool'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient

export interface Database extends Transactions<Tx> {
  /** For the records of operator calls before they are published. */
  readonly sql: SqlTx
  /** null, or the reason why the database cannot be used. */
  check(): Promise<string | null>
  close(): Promise<void>
}

export function openDatabase(url: string): Database {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 10, ...poolSettings }) })
  return {
    ...transactions<Tx>(prisma, () => {}),
    sql: prisma,
    check: async () => {
      await prisma.$queryRaw`SELECT 1`
      return null
    },
    close: () => prisma.$disconnect(),
  }
}
