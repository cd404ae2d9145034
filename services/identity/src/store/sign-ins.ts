import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { databaseNow } from '@payments/chassis/database/database-now'
import { purgeRows } from '@payments/chassis/database/purges'
import { fairSignIns, signInsOfAddressMax, signInsOfBrowserMax } from '../domain/sign-in.ts'
import type { SignInModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A sign-in of a browser. Every function works across tenants: a sign-in belongs to none. */
export type SignInRow = SignInModel

export type SignInInsert = Omit<SignInModel, 'createdAt' | 'usedStateHash' | 'personEncrypted' | 'sessionId'>

/** Concurrent steps of the sign-ins of the browser wait until this transaction ends. */
export async function lockBrowser(tx: Tx, browserHash: Uint8Array): Promise<void> {
  await lockForTransaction(tx, `identity.browser:${Buffer.from(browserHash).toString('base64')}`)
}

/**
 * Deletes sign-ins so that one more of the browser and of the address may be stored. Of the browser, those that created
 * a session are deleted first, then the oldest. Of the address, the oldest of browsers with more than `fairSignIns`
 * are deleted first. Concurrent sign-ins of both wait until this transaction ends.
 */
export async function evictExcess(tx: Tx, { browserHash, address }: Pick<SignInInsert, 'browserHash' | 'address'>) {
  await lockForTransaction(tx, `identity.sign-ins:${address}`)
  await lockBrowser(tx, browserHash)
  await tx.$executeRawUnsafe(
    `DELETE FROM sign_ins WHERE id IN
       (SELECT id FROM sign_ins WHERE browser_hash = $1
         ORDER BY session_id IS NOT NULL, created_at DESC, id DESC OFFSET $2)`,
    browserHash,
    signInsOfBrowserMax - 1,
  )
  await tx.$executeRawUnsafe(
    `WITH stored AS (SELECT id, created_at, count(*) OVER (PARTITION BY browser_hash) AS of_browser
                       FROM sign_ins WHERE address = $1)
     DELETE FROM sign_ins WHERE id IN
       (SELECT id FROM stored ORDER BY greatest(of_browser, $2::int) DESC, created_at, id
         LIMIT greatest((SELECT count(*) FROM stored) - $3::int, 0))`,
    address,
    fairSignIns,
    signInsOfAddressMax - 1,
  )
}

export async function insertSignIn(tx: Tx, signIn: SignInInsert): Promise<void> {
  await tx.signIn.create({ data: signIn, select: { id: true } })
}

interface Secrets {
  readonly stateHash: Uint8Array<ArrayBuffer>
  readonly browserHash: Uint8Array<ArrayBuffer>
}

/** Uses up the state of a callback, and returns the sign-in as it was. Of concurrent callbacks, one gets the row. */
export async function takeSignIn(tx: Tx, { stateHash, browserHash }: Secrets): Promise<SignInRow | null> {
  const [found] = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text AS id FROM sign_ins
      WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > clock_timestamp() FOR UPDATE SKIP LOCKED`,
    stateHash,
    browserHash,
  )
  const row = found === undefined ? null : await tx.signIn.findFirst({ where: { id: found.id } })
  if (row === null) return null
  const data = { stateHash: null, usedStateHash: stateHash, nonce: null, verifierEncrypted: null }
  await tx.signIn.update({ where: { id: row.id }, data, select: { id: true } })
  return row
}

/** The sign-in whose state a callback of the browser has used. */
export function findUsedSignIn(tx: Tx, { stateHash, browserHash }: Secrets): Promise<SignInRow | null> {
  return tx.signIn.findFirst({ where: { usedStateHash: stateHash, browserHash } })
}

/**
 * Whether a sign-in of a browser other than `browserHash` has the state. Another callback may complete a
 * sign-in of the same browser at the moment.
 */
export async function isOpenElsewhere(
  tx: Tx,
  stateHash: Uint8Array<ArrayBuffer>,
  browserHash: Uint8Array<ArrayBuffer> | null,
): Promise<boolean> {
  const elsewhere = browserHash === null ? {} : { NOT: { browserHash } }
  return (await tx.signIn.count({ where: { stateHash, ...elsewhere, expiresAt: { gt: await databaseNow(tx) } } })) > 0
}

/** A sign-in of the browser. */
export async function findSignIn(tx: Tx, id: string, browserHash: Uint8Array<ArrayBuffer>): Promise<SignInRow | null> {
  return tx.signIn.findFirst({ where: { id, browserHash, expiresAt: { gt: await databaseNow(tx) } } })
}

/** The id of the opened link of an invitation in the browser. */
export async function findOpenedLink(
  tx: Tx,
  { browserHash, invitationId }: { browserHash: Uint8Array<ArrayBuffer>; invitationId: string },
): Promise<string | null> {
  const where = { browserHash, invitationId, purpose: 'accept', expiresAt: { gt: await databaseNow(tx) } } as const
  return (await tx.signIn.findFirst({ where, select: { id: true } }))?.id ?? null
}

/** Stores the person of a sign-in until they have chosen a tenant, or the sign-in expires. */
export async function storePerson(
  tx: Tx,
  id: string,
  { personEncrypted, expiresAt }: { readonly personEncrypted: Uint8Array<ArrayBuffer>; readonly expiresAt: Date },
): Promise<void> {
  await tx.signIn.updateMany({ where: { id }, data: { personEncrypted, expiresAt } })
}

/** Records the session that a sign-in created. The opened link of its invitation is used up. */
export async function completeSignIn(
  tx: Tx,
  { id, browserHash, invitationId }: Pick<SignInRow, 'id' | 'browserHash' | 'invitationId'>,
  sessionId: string,
): Promise<void> {
  await tx.signIn.updateMany({ where: { id }, data: { personEncrypted: null, sessionId } })
  if (invitationId !== null) await tx.signIn.deleteMany({ where: { browserHash, purpose: 'accept', invitationId } })
}

/**
 * The browser has another session from now on: its sign-ins in progress replace that one, and those that led to the
 * previous session lead to it. Without a hash, the sign-ins of the previous session are changed alone.
 */
export async function followSession(
  tx: Tx,
  {
    browserHash,
    previousId,
    sessionId,
  }: { browserHash: Uint8Array | null; previousId: string | null; sessionId: string },
): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE sign_ins SET replaced_session_id = $3::uuid
      WHERE session_id IS NULL AND (browser_hash = $1 OR replaced_session_id = $2::uuid)`,
    browserHash,
    previousId,
    sessionId,
  )
  await tx.$executeRawUnsafe(
    'UPDATE sign_ins SET session_id = $2::uuid WHERE session_id = $1::uuid',
    previousId,
    sessionId,
  )
}

export async function deleteOfBrowser(tx: Tx, browserHash: Uint8Array<ArrayBuffer>): Promise<void> {
  await tx.signIn.deleteMany({ where: { browserHash } })
}

/** Deletes expired sign-ins. */
export const purgeSignIns = purgeRows('sign_ins', 'id', 'expires_at < now()')
