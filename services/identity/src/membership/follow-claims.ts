import { recordAuthorizationChange } from '@payments/chassis/database/authorization-version'
import { databaseNow } from '@payments/chassis/database/database-now'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { usersMax } from '../domain/user.ts'
import type { Tx } from '../store/database.ts'
import {
  countMembers,
  listMembershipsOfPerson,
  lockMember,
  lockMembers,
  type MemberRow,
  updateMembership,
} from '../store/memberships.ts'
import { countOpen } from '../store/user-invitations.ts'
import { emitUser, join } from './join-tenant.ts'
import { removeMember } from './remove-member.ts'

interface ClaimedMembership {
  readonly tenantId: string
  readonly userId: string
  readonly providerId: string
  readonly roleIds: readonly string[]
  readonly traceId: string
}

/**
 * Gives a person the membership that a sign-in provider claims, in a transaction across tenants that has locked the
 * person, and ends their other memberships that the provider gave. The roles follow the provider at each sign-in, also
 * where they take the last administrator of a tenant: the provider decides. A disabled user stays disabled. Throws
 * SignInFailed when the tenant cannot have another user.
 */
export async function followClaims(tx: Tx, claimed: ClaimedMembership): Promise<MemberRow> {
  const { tenantId, userId, providerId, roleIds, traceId } = claimed
  const others = await listOtherTenants(tx, claimed)
  for (const locked of [tenantId, ...others].sort()) await lockMembers(tx, locked)
  for (const other of others) {
    if ((await lockMember(tx, other, userId)) !== null) await removeMember(tx, { tenantId: other, userId }, traceId)
  }
  const existing = await lockMember(tx, tenantId, userId)
  if (existing === null) {
    await requireCapacity(tx, tenantId)
    const createdBy = `sign-in-provider:${providerId}`
    return join(tx, tenantId, { userId, roleIds, providerId, createdBy }, traceId)
  }
  const hasSameRoles = existing.roleIds.join() === [...new Set(roleIds)].sort().join()
  if (hasSameRoles && existing.providerId === providerId) return existing
  const member = await updateMembership(tx, tenantId, userId, { roleIds, providerId })
  if (hasSameRoles) return member
  await emitUser(tx, 'identity.users.update', member, traceId)
  recordAuthorizationChange(tx, 'user', [userId])
  return member
}

/** A disabled membership stays: it gives no access, and a later claim does not enable the user again. */
async function listOtherTenants(tx: Tx, { tenantId, userId, providerId }: ClaimedMembership): Promise<string[]> {
  const memberships = await listMembershipsOfPerson(tx, userId)
  return memberships
    .filter((one) => one.providerId === providerId && one.tenantId !== tenantId && one.enabled)
    .map((one) => one.tenantId)
}

async function requireCapacity(tx: Tx, tenantId: string): Promise<void> {
  const taken = (await countMembers(tx, tenantId)) + (await countOpen(tx, tenantId, await databaseNow(tx)))
  if (taken >= usersMax) throw new SignInFailed('too_many_users')
}
