import { bytesOfTexts } from '@payments/chassis/base/sized-cache'
import type { Client } from '@payments/chassis/client/client'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { SessionIdentity } from '@payments/contracts/services/identity/operators'
import { LRUCache } from 'lru-cache'
import type { Clock } from './clock.ts'
import type { LeaseSource } from './lease.ts'
import { createLeasedCache } from './leased-cache.ts'

export type SessionSource = LeaseSource & Pick<Client<typeof identityContract>, 'identifySession'>

/** The SHA-256 of the value of a session in hex, or the id of a session, which a JWT names. */
export type SessionKey = { readonly session_hash: string } | { readonly session_id: string }

interface SessionCacheOptions {
  readonly clock: Clock
  readonly sessionsMax: number
}

const sessionBytesMax = 24 * 1024 * 1024

/**
 * Sessions by the hash of their value and by their id. Unknown ones are not cached: the creation of a session
 * invalidates nothing.
 */
export function createSessionCache(source: SessionSource, { clock, sessionsMax }: SessionCacheOptions) {
  const sessions = createLeasedCache<SessionIdentity>({
    source: 'identity',
    clock,
    readVersion: source.readVersion,
    kinds: ['session', 'user'],
    entriesMax: sessionsMax,
    bytesMax: sessionBytesMax,
    measureBytes: (session, cacheKey) =>
      bytesOfTexts(cacheKey, session.session_id, session.user_id, session.tenant_id, ...session.role_ids),
    readTenantId: ({ tenant_id: tenantId }) => tenantId,
    listDependencies: ({ session_id: sessionId, user_id: userId }) => [sessionId, userId],
  })
  const lastUseMs = new LRUCache<string, number>({ max: sessionsMax })
  /** Identity knows uses to the minute, this gateway its own. */
  const isIdle = ({ session_id: id, idle_expires_at: idleExpiresAt, idle_seconds: idleSeconds }: SessionIdentity) => {
    const ownEndMs = (lastUseMs.get(id) ?? Number.NEGATIVE_INFINITY) + idleSeconds * 1_000
    return Math.max(Date.parse(idleExpiresAt), ownEndMs) <= Date.now()
  }
  return {
    acquire: sessions.acquire,
    /** Call after `acquire`. null for a session that is unknown, has expired, or was not used for too long. */
    async get(key: SessionKey, context: { traceId: string }): Promise<SessionIdentity | null> {
      const load = async () => {
        const { session } = await source.identifySession(context, { body: key })
        return { value: session, catalogue: null }
      }
      const cacheKey = 'session_hash' in key ? key.session_hash : key.session_id
      let session = await sessions.get(cacheKey, load)
      if (session !== null && isIdle(session)) {
        // Another gateway may have seen a later use.
        sessions.invalidate(session.session_id)
        session = await sessions.get(cacheKey, load)
      }
      if (session === null || isIdle(session)) return null
      return Date.parse(session.expires_at) <= Date.now() ? null : session
    },
    /** Extends the idle time of a session that a request was accepted with. */
    recordUse: (sessionId: string) => void lastUseMs.set(sessionId, Date.now()),
  }
}
