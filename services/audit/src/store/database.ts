import type { Database as ServiceDatabase } from '@payments/chassis/database/database'
import { someError } from '@payments/chassis/database/errors'
import { databaseOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = ServiceDatabase<Tx>

export const openDatabase = databaseOpener<Tx>(PrismaClient, {
  migrations: new URL('../../prisma/migrations/', import.meta.url),
  connectionsMax: 10,
})

/** PostgreSQL cancels each further statement of the transaction that takes longer. */
export async function limitStatements(tx: Tx, ms: number): Promise<void> {
  await tx.$executeRawUnsafe(`SET LOCAL statement_timeout = ${ms}`)
}

const canceled = '57014'

/** Whether PostgreSQL canceled a statement that took too long. */
export function isCanceled(error: unknown): boolean {
  return someError(error, ({ code, originalCode }) => code === canceled || originalCode === canceled)
}
