import {
  type AuthorizationSourceDatabase,
  type ClientPool,
  openAuthorizationSourceDatabase,
  type PoolOptions,
} from '@payments/chassis/database/database'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'

export type Tx = Prisma.TransactionClient
export type Database = AuthorizationSourceDatabase<Tx>

const migrations = new URL('../../prisma/migrations/', import.meta.url)

const createClient = (pool: ClientPool) => new PrismaClient({ adapter: new PrismaPg(pool) })

export function openDatabase(url: string, pool: PoolOptions = {}): Database {
  return openAuthorizationSourceDatabase<Tx>(createClient, url, { migrations, ...pool })
}
