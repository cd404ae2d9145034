import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import { listStoredAddresses, storedAddress } from '@payments/chassis/database/stored-address'
import { emailAddressKey } from '@payments/contracts/grammar/email-address'
import type { MembershipModel, UserModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export type MembershipRow = MembershipModel

/** A user of a tenant, with the profile of the person. */
export type MemberRow = MembershipModel & { user: Pick<UserModel, 'email' | 'name'> }

const withProfile = { include: { user: { select: { email: true, name: true } } } } as const

export interface MembershipInsert {
  readonly userId: string
  readonly roleIds: readonly string[]
  readonly providerId: string | null
  readonly createdBy: string
}

/**
 * Concurrent changes of the users and of the open invitations of the tenant wait until this transaction ends: for
 * decisions on all users of a tenant.
 */
export async function lockMembers(tx: Tx, tenantId: string): Promise<void> {
  await lockForTransaction(tx, `identity.members:${tenantId}`)
}

export function countMembers(tx: Tx, tenantId: string): Promise<number> {
  return tx.membership.count({ where: { tenantId } })
}

/** Role ids are stored once each and sorted, so equal sets are equal arrays. */
export function insertMembership(tx: Tx, tenantId: string, membership: MembershipInsert): Promise<MemberRow> {
  const data = { ...membership, tenantId, roleIds: sortRoleIds(membership.roleIds) }
  return tx.membership.create({ data, ...withProfile })
}

export function findMember(tx: Tx, tenantId: string, userId: string): Promise<MemberRow | null> {
  return tx.membership.findFirst({ where: { tenantId, userId }, ...withProfile })
}

/** As findMember; concurrent changes of the membership wait until this transaction ends. */
export async function lockMember(tx: Tx, tenantId: string, userId: string): Promise<MemberRow | null> {
  await tx.$queryRawUnsafe(
    'SELECT 1 FROM memberships WHERE tenant_id = $1::uuid AND user_id = $2::uuid FOR UPDATE',
    tenantId,
    userId,
  )
  return findMember(tx, tenantId, userId)
}

/** The ids of the users of the tenant with an email address. */
export async function findMembersWithEmail(tx: Tx, tenantId: string, email: string): Promise<string[]> {
  const key = emailAddressKey(email)
  const rows = await tx.$queryRawUnsafe<{ id: string; email: string }[]>(
    `SELECT u.id::text AS id, u.email FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.tenant_id = $1::uuid AND ${storedAddress('u.email')} = ANY($2::text[])`,
    tenantId,
    listStoredAddresses(key),
  )
  return rows.filter((user) => emailAddressKey(user.email) === key).map(({ id }) => id)
}

/** Of all users of the tenant, at most 1 000. */
export function listNames(
  tx: Tx,
  tenantId: string,
): Promise<{ id: string; name: string | null; email: string | null }[]> {
  return tx.$queryRawUnsafe(
    `SELECT u.id::text AS id, u.name, u.email FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.tenant_id = $1::uuid`,
    tenantId,
  )
}

export interface MemberFilter {
  /** Sets of ids of users: a user is in each of them. */
  readonly among: readonly string[][]
  readonly roleId: string | undefined
  readonly enabled: 'true' | 'false' | undefined
}

/** In the descending order of the ids of the users; one more than `limit`. */
export function listMembers(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
  { among, roleId, enabled }: MemberFilter,
): Promise<MemberRow[]> {
  return tx.membership.findMany({
    where: {
      tenantId,
      ...(before === undefined ? {} : { userId: { lt: before } }),
      AND: among.map((ids) => ({ userId: { in: ids } })),
      ...(roleId === undefined ? {} : { roleIds: { has: roleId } }),
      ...(enabled === undefined ? {} : { enabled: enabled === 'true' }),
    },
    orderBy: { userId: 'desc' },
    take: limit + 1,
    ...withProfile,
  })
}

/** Across tenants: the memberships of a person, oldest first, at most 1 000. */
export function listMembershipsOfPerson(tx: Tx, userId: string): Promise<MembershipRow[]> {
  return tx.membership.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { tenantId: 'asc' }],
    take: 1_000,
  })
}

export interface MembershipChanges {
  readonly roleIds?: readonly string[]
  readonly enabled?: boolean
  readonly providerId?: string
}

export function updateMembership(
  tx: Tx,
  tenantId: string,
  userId: string,
  { roleIds, ...changes }: MembershipChanges,
): Promise<MemberRow> {
  const data = { ...changes, ...(roleIds === undefined ? {} : { roleIds: sortRoleIds(roleIds) }) }
  return tx.membership.update({ where: { tenantId_userId: { tenantId, userId } }, data, ...withProfile })
}

/** Returns false for a user who is disabled, or was removed meanwhile. */
export async function recordSignIn(tx: Tx, tenantId: string, userId: string, signedInAt: Date): Promise<boolean> {
  const where = { tenantId, userId, enabled: true }
  const { count } = await tx.membership.updateMany({ where, data: { lastSignedInAt: signedInAt } })
  return count > 0
}

/** Records that all sessions of users in the tenant end now: no session of an earlier sign-in may switch to it. */
export async function recordEndOfSessions(tx: Tx, tenantId: string, userIds: readonly string[]): Promise<void> {
  const data = { sessionsEndedAt: await databaseNow(tx) }
  await tx.membership.updateMany({ where: { tenantId, userId: { in: [...userIds] } }, data })
}

/** The ids of all users of the tenant, in ascending order. */
export async function listMemberIds(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.membership.findMany({
    where: { tenantId },
    orderBy: { userId: 'asc' },
    select: { userId: true },
  })
  return rows.map(({ userId }) => userId)
}

export async function removeMembership(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx.membership.deleteMany({ where: { tenantId, userId } })
}

/** The number of users with a role, disabled ones included. */
export function countWithRole(tx: Tx, tenantId: string, roleId: string): Promise<number> {
  return tx.membership.count({ where: { tenantId, roleIds: { has: roleId } } })
}

/** The different sets of roles of the enabled users but `exceptUserId`. */
export async function listRoleSets(tx: Tx, tenantId: string, exceptUserId?: string): Promise<string[][]> {
  const rows = await tx.$queryRawUnsafe<{ roleIds: string[] }[]>(
    `SELECT DISTINCT role_ids::text[] AS "roleIds" FROM memberships
      WHERE tenant_id = $1::uuid AND enabled AND user_id IS DISTINCT FROM $2::uuid`,
    tenantId,
    exceptUserId ?? null,
  )
  return rows.map(({ roleIds }) => roleIds)
}

const sortRoleIds = (roleIds: readonly string[]): string[] => [...new Set(roleIds)].sort()
