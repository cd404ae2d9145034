import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import type { SignInModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

/** A sign-in in progress. Every function works across tenants: a sign-in belongs to none. */
export type SignInRow = SignInModel

export type SignInInsert = Omit<SignInModel, 'createdAt'>

/** Concurrent sign-ins of the address wait until this transaction ends. Returns the number of its open sign-ins. */
export async function countOpenOfAddress(tx: Tx, address: string): Promise<number> {
  await lockForTransaction(tx, `identity.sign-ins:${address}`)
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM sign_ins WHERE address = $1 AND expires_at > clock_timestamp()',
    address,
  )
  return row.count
}

export async function insertSignIn(tx: Tx, signIn: SignInInsert): Promise<void> {
  await tx.signIn.create({ data: signIn, select: { id: true } })
}

interface Secrets {
  readonly stateHash: Uint8Array<ArrayBuffer>
  readonly browserHash: Uint8Array<ArrayBuffer>
}

/** Deletes and returns the sign-in of a callback. Of concurrent callbacks, one gets the row. */
export async function takeSignIn(tx: Tx, { stateHash, browserHash }: Secrets): Promise<SignInRow | null> {
  const taken = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text AS id FROM sign_ins
      WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > clock_timestamp() FOR UPDATE SKIP LOCKED`,
    stateHash,
    browserHash,
  )
  const [found] = taken
  return found === undefined ? null : tx.signIn.delete({ where: { id: found.id } })
}

/** Whether a sign-in has the state, of any browser, expired or not: for the page that says why a callback failed. */
export async function hasState(tx: Tx, stateHash: Uint8Array<ArrayBuffer>): Promise<boolean> {
  return (await tx.signIn.count({ where: { stateHash } })) > 0
}

/** The invitation that the browser opened last, while a sign-in may accept it. */
export async function findInvitationOfBrowser(tx: Tx, browserHash: Uint8Array<ArrayBuffer>): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT invitation_id::text AS id FROM sign_ins
      WHERE browser_hash = $1 AND purpose = 'accept' AND state_hash IS NULL AND expires_at > clock_timestamp()
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    browserHash,
  )
  return row?.id ?? null
}

export async function deleteOfBrowser(tx: Tx, browserHash: Uint8Array<ArrayBuffer>): Promise<void> {
  await tx.signIn.deleteMany({ where: { browserHash } })
}

/** Deletes expired sign-ins, at most `rowsMax`. Returns the number of deleted rows. */
export function purgeSignIns(tx: Tx, rowsMax = 10_000): Promise<number> {
  return tx.$executeRawUnsafe(
    `DELETE FROM sign_ins WHERE id IN
       (SELECT id FROM sign_ins WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    rowsMax,
  )
}
