import type { VersionSessions } from '@payments/chassis/authorization-version'
import { openVersionSessions } from '@payments/chassis/authorization-version-sessions'
import { poolSettings } from '@payments/chassis/pool'
import { type SqlTx, type Transactions, transactions } from '@payments/chassis/transaction'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient

export interface Database extends Transactions<Tx> {
  /** For the relay, which reads the outbox across tenants. */
  readonly sql: SqlTx
  readonly epochs: VersionSessions
  /** `listener` runs after each commit and wakes the relay. */
  afterCommit(listener: () => void): void
  /** null, or the reason why the database cannot be used. */
  check(): Promise<string | null>
  close(): Promise<void>
}

export function openDatabase(url: string): Database {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 20, ...poolSettings }) })
  const epochs = openVersionSessions(url)
  let committed = () => {}
  return {
    ...transactions<Tx>(prisma, () => committed()),
    sql: prisma,
    epochs,
    afterCommit: (listener) => {
      committed = listener
    },
    check: async () => {
      await prisma.$queryRaw`SELECT 1`
      return null
    },
    close: async () => {
      await Promise.all([prisma.$disconnect(), epochs.close()])
    },
  }
}
