/** Users of tenants with browser sessions, for loads on real processes. */
import { createSecretKey, randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { loadSecrets } from '@payments/devkit/machine/secrets'
import { withClient } from '@payments/devkit/servers/databases'
import type { Platform } from '@payments/testing/platform/local-stack'
import { sessionValues } from '#identity/session/session-values'
import type { Timing } from '../load/request.ts'

export interface NewUser {
  readonly tenantId: string
  readonly roleIds: readonly string[]
  readonly email: string
  readonly name?: string | undefined
}

export interface UserWithSession {
  readonly userId: string
  readonly sessionId: string
  /** The value of the session cookie. */
  readonly value: string
}

/** The operations that the API of a tenant does not have. */
export interface People {
  /** Creates a user of the tenant with a browser session. */
  readonly join: (roleIds: readonly string[]) => Promise<UserWithSession>
  readonly suspend: () => Promise<Timing>
  readonly resume: () => Promise<unknown>
  /** The host of the console. */
  readonly host: string
}

const issuer = 'https://sign-in.test'

/** The rows of a sign-in: a new user of a tenant, with a browser session. */
export async function insertUserWithSession(platform: Platform, user: NewUser): Promise<UserWithSession> {
  const { sessionPepper } = loadSecrets(dirname(platform.logDirectory))
  const keys = new Map([['dev', createSecretKey(sessionPepper, 'base64')]])
  const { value, pepperKid, indexHmac } = sessionValues('dev', { keys, current: 'dev' }).generate()
  const [userId, sessionId] = [randomUUID(), randomUUID()]
  const { tenantId, roleIds, email, name = null } = user
  await withClient(platform.databases.identity.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query('BEGIN')
    await owner.query('INSERT INTO users (id, email, name) VALUES ($1, $2, $3)', [userId, email, name])
    const subject = [issuer, userId, userId]
    await owner.query('INSERT INTO user_subjects (issuer, subject, user_id) VALUES ($1, $2, $3)', subject)
    await owner.query(
      `INSERT INTO memberships (tenant_id, user_id, role_ids, created_by, last_signed_in_at)
       VALUES ($1, $2, $3::uuid[], 'operator:test', now())`,
      [tenantId, userId, roleIds],
    )
    await owner.query(
      `INSERT INTO sessions (id, tenant_id, user_id, kind, pepper_kid, index_hmac, authenticated_at, last_seen_at,
         expires_at, ip, user_agent, provider_id, issuer, subject)
       VALUES ($1, $2, $3, 'browser', $4, $5, now(), now(), now() + interval '1 hour', '192.0.2.7', $6, 'test', $7, $8)`,
      [sessionId, tenantId, userId, pepperKid, indexHmac, 'Browser\u202e of a test', issuer, userId],
    )
    await owner.query('COMMIT')
  })
  return { userId, sessionId, value }
}
