import {
  type ClientPool,
  openPrismaDatabase,
  type PoolOptions,
  type Database as PrismaDatabase,
} from '@payments/chassis/database/database'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = PrismaDatabase<Tx>

/** For reads of a transaction with its operations: both queries see the same state, without locks. */
export const snapshot = { isolationLevel: 'RepeatableRead' } as const

const migrations = new URL('../../prisma/migrations/', import.meta.url)

const createClient = (pool: ClientPool) => new PrismaClient({ adapter: new PrismaPg(pool) })

export function openDatabase(url: string, pool: PoolOptions = {}): Database {
  return openPrismaDatabase<Tx>(createClient, url, { migrations, ...pool })
}

/** Whether PostgreSQL rejected a row because another row has the same unique key. */
export function isTaken(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'P2002'
}
