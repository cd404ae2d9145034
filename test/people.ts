import { createSecretKey, randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { sessionCookie } from '@payments/contracts/grammar/session-value'
import { secretsOf } from '@payments/devkit/machine/secrets'
import { withClient } from '@payments/devkit/servers/databases'
import type { Platform } from '@payments/testing/platform/local-stack'
import { sessionValues } from '../services/identity/src/session/session-values.ts'
import type { TenantResponse } from './tenant.ts'

export interface Member {
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  /** Calls the gateway as the console does, in the session of the user. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<TenantResponse>
}

export interface Joining {
  readonly tenantId: string
  readonly roleIds: readonly string[]
  readonly email: string
  readonly name?: string
}

/**
 * A new user of a tenant, with a browser session. The rows are those of a sign-in: the people of the development
 * provider are the same for all test files, and other files change them.
 */
export async function joinTenant(platform: Platform, { tenantId, roleIds, email, name }: Joining): Promise<Member> {
  const { sessionPepper } = secretsOf(dirname(platform.logDirectory))
  const keys = new Map([['dev', createSecretKey(sessionPepper, 'base64')]])
  const { value, pepperKid, indexHmac } = sessionValues('dev', { keys, current: 'dev' }).generate()
  const [userId, sessionId] = [randomUUID(), randomUUID()]
  await withClient(platform.databases.identity.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    await owner.query('BEGIN')
    await owner.query('INSERT INTO users (id, email, name) VALUES ($1, $2, $3)', [userId, email, name ?? null])
    await owner.query('INSERT INTO user_subjects (issuer, subject, user_id) VALUES ($1, $2, $3)', [
      issuer,
      userId,
      userId,
    ])
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
  const call: Member['call'] = async (method, path, body) => {
    const response = await fetch(platform.gatewayUrl + path, {
      method,
      headers: {
        cookie: `${sessionCookie}=${value}`,
        'x-console': '1',
        'sec-fetch-site': 'same-origin',
        'trace-id': randomUUID(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text), headers: response.headers }
  }
  return { userId, sessionId, email, call }
}

const issuer = 'https://sign-in.test'
