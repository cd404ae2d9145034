import type { Database as ServiceDatabase } from '@payments/chassis/database/database'
import { databaseOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = ServiceDatabase<Tx>

export const openDatabase = databaseOpener<Tx>(PrismaClient, {
  migrations: new URL('../../prisma/migrations/', import.meta.url),
})

/** For reads of a transaction with its operations: both queries see the same state, without locks. */
export const snapshot = { isolationLevel: 'RepeatableRead' } as const

/** Whether PostgreSQL rejected a statement because another row has the same unique key. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown }
  return code === '23505' && violated === constraint
}
