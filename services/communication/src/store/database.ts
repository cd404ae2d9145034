import type { Database as ServiceDatabase } from '@payments/chassis/database/database'
import { databaseOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = ServiceDatabase<Tx>

export const openDatabase = databaseOpener<Tx>(PrismaClient, {
  migrations: new URL('../../prisma/migrations/', import.meta.url),
})
