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

const migrations = new URL('../../prisma/migrations/', import.meta.url)

const createClient = (pool: ClientPool) => new PrismaClient({ adapter: new PrismaPg(pool) })

const connectionsMax = 10

export function openDatabase(url: string, pool: PoolOptions = {}): Database {
  return openPrismaDatabase<Tx>(createClient, url, { migrations, connectionsMax, ...pool })
}
