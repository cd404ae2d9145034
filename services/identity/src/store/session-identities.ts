import type { Statement } from '@payments/chassis/database/statement'
import type { SessionIndex } from './sessions.ts'

/** A session that has not ended, of an enabled user, by the clock of the database. */
const identitySql = (condition: string) => `
  SELECT s.id::text AS id, s.tenant_id::text AS "tenantId", s.user_id::text AS "userId", s.kind::text AS kind,
         s.authenticated_at AS "authenticatedAt", s.last_seen_at AS "lastSeenAt", s.expires_at AS "expiresAt",
         m.role_ids::text[] AS "roleIds"
    FROM sessions s JOIN memberships m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id
   WHERE ${condition} AND m.enabled AND s.expires_at > clock_timestamp()
     AND s.last_seen_at > clock_timestamp() - $1::float8 * interval '1 millisecond'
   LIMIT 1`

const byId = identitySql('s.id = $2::uuid')
const byIndex = identitySql(
  `(s.pepper_kid, s.index_hmac) IN (SELECT kid, decode(hex, 'hex') FROM unnest($2::text[], $3::text[]) AS named (kid, hex))`,
)

/** A statement across tenants, whose row is an `IdentityFacts`. Each cache miss of the gateway runs it. */
export function selectIdentityById(sessionId: string, idleMs: number): Statement {
  return { text: byId, values: [idleMs, sessionId] }
}

/** As selectIdentityById, for a session with one of `indexes`. */
export function selectIdentityByIndexes(indexes: readonly SessionIndex[], idleMs: number): Statement {
  const kids = indexes.map(({ pepperKid }) => pepperKid)
  const hexes = indexes.map(({ indexHmac }) => Buffer.from(indexHmac).toString('hex'))
  return { text: byIndex, values: [idleMs, kids, hexes] }
}
