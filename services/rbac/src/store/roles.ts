import { nameKey } from '@payments/contracts/grammar/name'
import type { RoleChanges } from '../domain/role.ts'
import { Prisma } from '../generated/client.ts'
import type { RoleModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type RoleRow = RoleModel
export type RoleInsert = Pick<RoleRow, 'id' | 'name' | 'description' | 'kind' | 'permissions'>

const addNameKey = <R extends { readonly name: string }>(role: R) => ({ ...role, nameKey: nameKey(role.name) })

export function insertRoles(tx: Tx, tenantId: string, roles: readonly RoleInsert[]): Promise<RoleRow[]> {
  return tx.role.createManyAndReturn({ data: roles.map((role) => ({ ...addNameKey(role), tenantId })) })
}

export function insertRole(tx: Tx, tenantId: string, role: RoleInsert): Promise<RoleRow> {
  return tx.role.create({ data: { ...addNameKey(role), tenantId } })
}

export function findRole(tx: Tx, tenantId: string, roleId: string): Promise<RoleRow | null> {
  return tx.role.findFirst({ where: { tenantId, id: roleId } })
}

/** The existing roles among the given ids. */
export function findRoles(tx: Tx, tenantId: string, ids: readonly string[]): Promise<RoleRow[]> {
  return tx.role.findMany({ where: { tenantId, id: { in: [...ids] } }, orderBy: { id: 'asc' } })
}

/** Newest first; one more than `limit`. */
export function list(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<RoleRow[]> {
  return tx.role.findMany({
    where: { tenantId, ...(before === undefined ? {} : { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
}

export type NamedRole = Pick<RoleRow, 'id' | 'name' | 'kind'>

/**
 * A statement whose rows are `NamedRole`: every role, oldest first. A tenant has few: the built-in roles and at most
 * `rolesMax` custom ones.
 */
export function selectRoleNames(tenantId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT id::text AS id, name, kind::text AS kind FROM roles WHERE tenant_id = ${tenantId}::uuid ORDER BY roles.id`
}

/** As findRole; concurrent changes of the role wait until this transaction ends. */
export async function lockRole(tx: Tx, tenantId: string, roleId: string): Promise<RoleRow | null> {
  await tx.$queryRaw`SELECT 1 FROM roles WHERE tenant_id = ${tenantId}::uuid AND id = ${roleId}::uuid FOR UPDATE`
  return findRole(tx, tenantId, roleId)
}

/**
 * Whether a role other than `roleId` has the name, or a name that differs only in case, white space or Unicode form.
 */
export async function isNameTaken(tx: Tx, tenantId: string, name: string, roleId: string | null): Promise<boolean> {
  const found = await tx.role.findFirst({ where: { tenantId, nameKey: nameKey(name) }, select: { id: true } })
  return found !== null && found.id !== roleId
}

export function countCustomRoles(tx: Tx, tenantId: string): Promise<number> {
  return tx.role.count({ where: { tenantId, kind: 'custom' } })
}

/** `changes` contains `name` only for a rename. */
export function update(tx: Tx, tenantId: string, roleId: string, changes: RoleChanges): Promise<RoleRow> {
  const { name } = changes
  const data = name === undefined ? changes : { ...changes, nameKey: nameKey(name) }
  return tx.role.update({ where: { id: roleId, tenantId }, data })
}

/**
 * Marks the role as being deleted, by the clock of the database. Returns the mark, or undefined when another request
 * has marked the role.
 */
export async function markDeleting(
  tx: Tx,
  tenantId: string,
  roleId: string,
  leaseSeconds: number,
): Promise<string | undefined> {
  const [marked] = await tx.$queryRaw<{ mark: string }[]>`
    UPDATE roles SET deleting_until = clock_timestamp() + ${leaseSeconds}::int * interval '1 second'
    WHERE tenant_id = ${tenantId}::uuid AND id = ${roleId}::uuid
      AND (deleting_until IS NULL OR deleting_until < clock_timestamp())
    RETURNING deleting_until::text AS mark`
  return marked?.mark
}

export async function unmarkDeleting(tx: Tx, tenantId: string, roleId: string, mark: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE roles SET deleting_until = NULL
    WHERE tenant_id = ${tenantId}::uuid AND id = ${roleId}::uuid AND deleting_until = ${mark}::text::timestamptz`
}

/** Deletes the role if the mark has not expired. Returns whether the role was deleted. */
export async function deleteMarked(tx: Tx, tenantId: string, roleId: string, mark: string): Promise<boolean> {
  const deleted = await tx.$executeRaw`
    DELETE FROM roles
    WHERE tenant_id = ${tenantId}::uuid AND id = ${roleId}::uuid AND deleting_until = ${mark}::text::timestamptz
      AND deleting_until > clock_timestamp()`
  return deleted === 1
}

export interface GrantingRole extends Pick<RoleRow, 'id' | 'name' | 'kind' | 'permissions'> {
  readonly isDeleting: boolean
}

/**
 * A statement whose rows are `GrantingRole`: the existing roles among the given ids and names. Each cache miss of the
 * gateway runs it.
 */
export function selectGrantingRoles(
  tenantId: string,
  wanted: { ids: readonly string[]; names: readonly string[] },
): Prisma.Sql {
  return Prisma.sql`
    SELECT id::text AS id, name, kind::text AS kind, permissions,
           coalesce(deleting_until > clock_timestamp(), false) AS "isDeleting"
      FROM roles
     WHERE tenant_id = ${tenantId}::uuid AND (id = ANY(${wanted.ids}::uuid[]) OR name = ANY(${wanted.names}::text[]))
     ORDER BY roles.id`
}
