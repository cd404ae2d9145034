import type { World } from './world.ts'

const dayMs = 86_400_000
export const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)
export const partitionName = (table: string, day: Date) =>
  `${table}_${day.toISOString().slice(0, 10).replaceAll('-', '')}`

/** The names of all partitions. */
export const partitions = (world: World) =>
  world.db.acrossTenants(async (tx) => {
    const rows = await tx.$queryRawUnsafe<{ name: string }[]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE c.relkind = 'r'`,
    )
    return rows.map((row) => row.name)
  })
