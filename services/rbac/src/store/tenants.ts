import { Prisma } from '../generated/client.ts'
import type { TenantModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type TenantRow = TenantModel

export function insertTenant(tx: Tx, tenantId: string, name: string): Promise<TenantRow> {
  return tx.tenant.create({ data: { id: tenantId, name } })
}

/** A statement whose row is the tenant; no row for an unknown tenant. */
export function selectTenant(tenantId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT id::text AS id, name, status::text AS status, created_at AS "createdAt", updated_at AS "updatedAt"
      FROM tenants WHERE id = ${tenantId}::uuid`
}

/** A statement with the status of the tenant, and no row for an unknown tenant. */
export function selectTenantStatus(tenantId: string): Prisma.Sql {
  return Prisma.sql`SELECT status::text AS status FROM tenants WHERE id = ${tenantId}::uuid`
}

/** Across tenants: the tenants with these ids, in the order of the ids. */
export function findTenants(tx: Tx, tenantIds: readonly string[]): Promise<TenantRow[]> {
  return tx.tenant.findMany({ where: { id: { in: [...tenantIds] } }, orderBy: { id: 'asc' } })
}

/** Across tenants, newest first; one more than `limit`. */
export function list(
  tx: Tx,
  { status, before, limit }: { status: TenantRow['status'] | undefined; before: string | undefined; limit: number },
): Promise<TenantRow[]> {
  return tx.tenant.findMany({
    where: { ...(status === undefined ? {} : { status }), ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

/** Whether the tenant exists. Concurrent creations and edits of its roles wait until this transaction ends. */
export async function lockTenant(tx: Tx, tenantId: string): Promise<boolean> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM tenants WHERE id = ${tenantId}::uuid FOR NO KEY UPDATE`
  return locked.length === 1
}

/** Undefined for an unknown tenant. */
export async function setStatus(tx: Tx, tenantId: string, status: TenantRow['status']): Promise<TenantRow | undefined> {
  const [tenant] = await tx.tenant.updateManyAndReturn({ where: { id: tenantId }, data: { status } })
  return tenant
}
