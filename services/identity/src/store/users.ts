import { purgeRows } from '@payments/chassis/database/purges'
import type { UserModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A person. Every function works across tenants: in the transaction of a tenant, only its users are visible. */
export type UserRow = UserModel

export interface UserInsert {
  readonly id: string
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly name: string | null
}

/** Creates a person with their first subject. A subject that exists is an error: find it first. */
export function insertUser(tx: Tx, { id, issuer, subject, email, name }: UserInsert): Promise<UserRow> {
  return tx.user.create({ data: { id, email, name, subjects: { create: { issuer, subject } } } })
}

export function findUser(tx: Tx, userId: string): Promise<UserRow | null> {
  return tx.user.findFirst({ where: { id: userId } })
}

/** The person who signs in as `subject` at the sign-in provider `issuer`. */
export async function findUserBySubject(tx: Tx, issuer: string, subject: string): Promise<UserRow | null> {
  const found = await tx.userSubject.findFirst({
    where: { issuer, subject },
    select: { user: true },
  })
  return found?.user ?? null
}

/** As findUser; concurrent sign-ins and changes of the person wait until this transaction ends. */
export async function lockUser(tx: Tx, userId: string): Promise<UserRow | null> {
  await tx.$queryRawUnsafe('SELECT 1 FROM users WHERE id = $1::uuid FOR NO KEY UPDATE', userId)
  return findUser(tx, userId)
}

/** As lockUser, for several users, in the order of their ids. */
export async function lockUsers(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.$queryRawUnsafe('SELECT 1 FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE', [
    ...new Set(userIds),
  ])
}

/** As lockUsers, for users of a tenant, in its transaction. */
export async function lockUsersOfTenant(tx: Tx, tenantId: string, userIds: readonly string[]): Promise<void> {
  await tx.$queryRawUnsafe(
    `SELECT 1 FROM users u
      WHERE id = ANY ($2::uuid[])
        AND EXISTS (SELECT FROM memberships m WHERE m.tenant_id = $1::uuid AND m.user_id = u.id)
      ORDER BY id FOR NO KEY UPDATE OF u`,
    tenantId,
    userIds,
  )
}

/** Stores the profile that the sign-in provider reports at each sign-in. Null retains the stored value. */
export function updateProfile(
  tx: Tx,
  userId: string,
  { email, name }: { readonly email: string | null; readonly name: string | null },
): Promise<UserRow> {
  const data = { ...(email === null ? {} : { email }), ...(name === null ? {} : { name }) }
  return tx.user.update({ where: { id: userId }, data })
}

/** The person is a user of a tenant again. */
export async function markUsed(tx: Tx, userId: string): Promise<void> {
  await tx.user.updateMany({ where: { id: userId, unusedSince: { not: null } }, data: { unusedSince: null } })
}

export function listSubjects(tx: Tx, userId: string): Promise<{ issuer: string; subject: string }[]> {
  return tx.userSubject.findMany({
    where: { userId },
    orderBy: [{ issuer: 'asc' }, { subject: 'asc' }],
    select: { issuer: true, subject: true },
  })
}

/** Erases what identifies the person. The id stays, which audit records and events name. */
export async function eraseProfile(tx: Tx, userId: string): Promise<void> {
  await tx.userSubject.deleteMany({ where: { userId } })
  await tx.user.update({ where: { id: userId }, data: { email: null, name: null }, select: { id: true } })
}

/** Marks persons who are a user of no tenant, at most `rowsMax`. Returns the number of marked rows. */
export function markUnused(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `UPDATE users SET unused_since = now() WHERE id = ANY (ARRAY
       (SELECT id FROM users u
         WHERE unused_since IS NULL AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id)
         LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    rowsMax,
  )
}

/** Deletes persons who have been a user of no tenant for 30 days, with their subjects. */
export const purgeUnused = purgeRows(
  'users',
  'id',
  `unused_since < now() - interval '30 days' AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = users.id)`,
)
