import type { AuthorizationSourceDatabase } from '@payments/chassis/database/database'
import { authorizationSourceOpener } from '@payments/service/database'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = AuthorizationSourceDatabase<Tx>

export const openDatabase = authorizationSourceOpener<Tx>(PrismaClient, {
  migrations: new URL('../../prisma/migrations/', import.meta.url),
})
