/**
 * The little of a database client that this package needs. A Prisma client and a Prisma transaction both satisfy it, so that
 * one outbox serves every service without knowing any service's generated client.
 */
export interface SqlTx {
  $queryRawUnsafe<T>(sql: string, ...values: unknown[]): Promise<T>
  $executeRawUnsafe(sql: string, ...values: unknown[]): Promise<number>
}
