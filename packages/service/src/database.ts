import {
  type AuthorizationSourceDatabase,
  type Database,
  type DatabaseOptions,
  openPrismaDatabase,
  type PoolOptions,
  type PrismaLike,
  withVersionReads,
} from '@payments/chassis/database/database'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { PrismaPg } from '@prisma/adapter-pg'

/** The class that Prisma generates for a service. */
type PrismaClient<Tx> = new (options: { adapter: PrismaPg }) => PrismaLike<Tx> & Tx

type Open<Db> = (url: string, pool?: PoolOptions) => Db

/** The database of a service. `options.migrations`: the folder of its migrations. */
export const databaseOpener =
  <Tx extends SqlTx>(Client: PrismaClient<Tx>, options: DatabaseOptions): Open<Database<Tx>> =>
  (url, pool = {}) =>
    openPrismaDatabase<Tx>((sessions) => new Client({ adapter: new PrismaPg(sessions) }), url, { ...options, ...pool })

/** The database of an authorization source. */
export const authorizationSourceOpener =
  <Tx extends SqlTx>(Client: PrismaClient<Tx>, options: DatabaseOptions): Open<AuthorizationSourceDatabase<Tx>> =>
  (url, pool) =>
    withVersionReads(databaseOpener<Tx>(Client, options)(url, pool), url)
