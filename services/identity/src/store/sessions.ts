import { purgeRows } from '@payments/chassis/database/purges'
import { endReasonDays, type SessionEndReason } from '../domain/session.ts'
import type { SessionModel } from '../generated/models.ts'
import type { Tx } from './database.ts'
import { lockUser } from './users.ts'

/** A session without the index of its value. */
export type SessionRow = Omit<SessionModel, 'pepperKid' | 'indexHmac'>

/** Finds a session by its value: the HMAC of the session hash under one pepper. */
export interface SessionIndex {
  readonly pepperKid: string
  readonly indexHmac: Uint8Array<ArrayBuffer>
}

export type SessionInsert = SessionModel

const shown = { omit: { pepperKid: true, indexHmac: true } } as const

export function insertSession(tx: Tx, session: SessionInsert): Promise<SessionRow> {
  return tx.session.create({ data: session, ...shown })
}

/** Across tenants: the session with a value of one of `indexes`, expired or not. */
export function findSessionByIndexes(tx: Tx, indexes: readonly SessionIndex[]): Promise<SessionRow | null> {
  return tx.session.findFirst({ where: { OR: indexes.map((index) => ({ ...index })) }, ...shown })
}

/** Across tenants: a session, expired or not. */
export function findSessionById(tx: Tx, sessionId: string): Promise<SessionRow | null> {
  return tx.session.findFirst({ where: { id: sessionId }, ...shown })
}

/** Across tenants: as findSessionById; a concurrent end of the session waits until this transaction ends. */
export async function lockSession(tx: Tx, sessionId: string): Promise<SessionRow | null> {
  await tx.$queryRawUnsafe('SELECT 1 FROM sessions WHERE id = $1::uuid FOR UPDATE', sessionId)
  return findSessionById(tx, sessionId)
}

/**
 * As lockSession, and locks the user first, as an end of sessions does: no end misses the session that follows this
 * one.
 */
export async function lockSessionAndUser(tx: Tx, sessionId: string): Promise<SessionRow | null> {
  const session = await findSessionById(tx, sessionId)
  if (session === null || (await lockUser(tx, session.userId)) === null) return null
  return lockSession(tx, sessionId)
}

/** Across tenants: every session of a user, the least recently used first. */
export function listSessionsOfPerson(tx: Tx, userId: string): Promise<SessionRow[]> {
  return tx.session.findMany({ where: { userId }, orderBy: [{ lastSeenAt: 'asc' }, { id: 'asc' }], ...shown })
}

/**
 * Across tenants: the sessions that a subject of a sign-in provider began; without a subject, any subject. With
 * `providerSessionId`: the sessions of one session of the provider, and sessions of the subject whose session at the
 * provider is unknown.
 */
export function findSessionsOfSubject(
  tx: Tx,
  issuer: string,
  { subject, providerSessionId }: { readonly subject: string | null; readonly providerSessionId: string | null },
): Promise<SessionRow[]> {
  if (subject === null && providerSessionId === null) return Promise.resolve([])
  const ofSession = providerSessionId === null ? [] : [{ providerSessionId }]
  const ofSubject =
    subject === null ? [] : [providerSessionId === null ? { subject } : { subject, providerSessionId: null }]
  const where = { issuer, ...(subject === null ? {} : { subject }), OR: [...ofSession, ...ofSubject] }
  return tx.session.findMany({ where, orderBy: { id: 'asc' }, ...shown })
}

export function findSession(tx: Tx, tenantId: string, sessionId: string): Promise<SessionRow | null> {
  return tx.session.findFirst({ where: { tenantId, id: sessionId }, ...shown })
}

/** The sessions of users in a tenant. */
export function findSessions(tx: Tx, tenantId: string, userIds: readonly string[]): Promise<SessionRow[]> {
  return tx.session.findMany({ where: { tenantId, userId: { in: [...userIds] } }, orderBy: { id: 'asc' }, ...shown })
}

/** The sessions that have not expired at `now`, newest first; one more than `limit`. */
export function listSessions(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: string | undefined; limit: number },
  { userId, now, idleMs }: { userId: string | undefined; now: Date; idleMs: number },
): Promise<SessionRow[]> {
  const usedSince = new Date(now.getTime() - idleMs)
  return tx.session.findMany({
    where: {
      tenantId,
      ...(userId === undefined ? {} : { userId }),
      ...(before === undefined ? {} : { id: { lt: before } }),
      expiresAt: { gt: now },
      lastSeenAt: { gt: usedSince },
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
    ...shown,
  })
}

/** Stores why the deleted sessions of browsers ended: the rows of `deleted`, with the reason in `reason`. */
const recordEnds = (reason: string) => `
  INSERT INTO ended_sessions (pepper_kid, index_hmac, tenant_id, reason)
  SELECT pepper_kid, index_hmac, tenant_id, (${reason})::"SessionEndReason" FROM deleted
   WHERE kind = 'browser' AND ${reason} IS NOT NULL`

/**
 * Deletes sessions, of any tenant, and stores the reason; null: the browser needs none. Returns the ids of those that
 * a concurrent transaction did not delete.
 */
export async function deleteSessions(
  tx: Tx,
  sessionIds: readonly string[],
  reason: SessionEndReason | null,
): Promise<string[]> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `WITH locked AS (SELECT id FROM sessions WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE),
          deleted AS (DELETE FROM sessions USING locked WHERE sessions.id = locked.id RETURNING sessions.*),
          recorded AS (${recordEnds('$2::text')})
     SELECT id::text AS id FROM deleted`,
    sessionIds,
    reason,
  )
  return rows.map(({ id }) => id)
}

/** Across tenants: why the session with a value of one of `indexes` ended. Null where it is not known. */
export async function findEndReason(tx: Tx, indexes: readonly SessionIndex[]): Promise<SessionEndReason | null> {
  const found = await tx.endedSession.findFirst({ where: { OR: indexes.map((index) => ({ ...index })) } })
  return found?.reason ?? null
}

export interface SessionUse {
  readonly tenantId: string
  readonly sessionId: string
  readonly usedAt: Date
}

/**
 * Across tenants: stores the latest use of each session at most once a minute. A use in the future is stored as now.
 * Rows are locked in the order of their ids, so concurrent reports do not deadlock.
 * Returns the number of updated sessions.
 */
export function recordUses(tx: Tx, uses: readonly SessionUse[]): Promise<number> {
  return tx.$executeRawUnsafe(
    `WITH latest AS (
       SELECT id, tenant_id, least(max(used_at), clock_timestamp()) AS used_at
         FROM jsonb_to_recordset($1::jsonb) AS used (id uuid, tenant_id uuid, used_at timestamptz) GROUP BY id, tenant_id
     ), due AS (
       SELECT s.id, latest.used_at
         FROM latest JOIN sessions s ON s.id = latest.id AND s.tenant_id = latest.tenant_id
        WHERE s.last_seen_at <= latest.used_at - interval '1 minute'
        ORDER BY s.id FOR NO KEY UPDATE OF s
     )
     UPDATE sessions SET last_seen_at = due.used_at FROM due WHERE sessions.id = due.id`,
    JSON.stringify(
      uses.map(({ tenantId, sessionId, usedAt }) => ({ id: sessionId, tenant_id: tenantId, used_at: usedAt })),
    ),
  )
}

/**
 * Across tenants: deletes sessions that expired or were not used for `idleMs`, and stores why they ended. Returns the
 * number of deleted rows.
 */
export async function purgeSessions(tx: Tx, idleMs: number, rowsMax = 10_000): Promise<number> {
  const [row] = await tx.$queryRawUnsafe<[{ count: number }]>(
    `WITH deleted AS (
       DELETE FROM sessions WHERE id = ANY (ARRAY
         (SELECT id FROM sessions
           WHERE expires_at < now() OR last_seen_at < now() - $1::float8 * interval '1 millisecond'
           LIMIT $2::int FOR UPDATE SKIP LOCKED))
       RETURNING *),
     ended AS (${recordEnds(`CASE WHEN expires_at < now() THEN 'expired' ELSE 'idle' END`)})
     SELECT count(*)::int AS count FROM deleted`,
    idleMs,
    rowsMax,
  )
  return row.count
}

/** Across tenants: deletes the reasons of sessions that ended more than `endReasonDays` ago. */
export const purgeEndReasons = purgeRows(
  'ended_sessions',
  'ctid',
  `ended_at < now() - ${endReasonDays} * interval '1 day'`,
)
