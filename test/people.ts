import { randomUUID } from 'node:crypto'
import { sessionCookie } from '@payments/contracts/grammar/session-value'
import type { Platform } from '@payments/testing/platform/local-stack'
import { insertUserWithSession, type NewUser } from '../bench/revocation/people.ts'
import type { TenantResponse } from './tenant.ts'

export interface Member {
  readonly userId: string
  readonly sessionId: string
  readonly email: string
  /** Calls the gateway as the console does, in the session of the user. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<TenantResponse>
}

/**
 * A new user of a tenant, with a browser session. The rows are as after a sign-in: the people of the development
 * provider are the same for all test files, and other files change them.
 */
export async function joinTenant(platform: Platform, user: NewUser): Promise<Member> {
  const { userId, sessionId, value } = await insertUserWithSession(platform, user)
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
  return { userId, sessionId, email: user.email, call }
}
