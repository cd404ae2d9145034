import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import request from 'supertest'
import {
  type Credential,
  credentialHeaders,
  headersOfConsole,
  startWorld,
  type TestTenant,
  type World,
} from './world.ts'

/** A session needs a sign-in of the last five minutes at a sensitive endpoint (RFC 9470). */
let world: World
let tenant: TestTenant
let reached = 0

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())
beforeEach(() => {
  reached = 0
  world.upstream.respond((incoming, response) => {
    reached += 1
    incoming.resume().on('end', () => response.end('{}'))
  })
})

const sensitive = '/v1/identity/user-invitations'
/** resendUserInvitation */
const harmless = `/v1/identity/user-invitations/${randomUUID()}/resend`

const signInPerson = (authenticatedSecondsAgo: number, roleIds: readonly string[] = [tenant.adminRole]) =>
  world.identity.signIn({ tenantId: tenant.id, roleIds, authenticatedSecondsAgo })

const post = (path: string, headers: Record<string, string>) =>
  request(world.url).post(path).set(headers).send({ email: 'grace@example.com', role_ids: [] })

describe('a sensitive endpoint', () => {
  test('accepts a session whose user signed in within five minutes', async () => {
    const person = await signInPerson(280)
    await post(sensitive, headersOfConsole(person.value)).expect(200)
    await post(sensitive, credentialHeaders({ bearer: await person.token() })).expect(200)
    expect(reached).toBe(2)
  })

  test('requires a step-up of an older session before the request is forwarded, also by its JWT', async () => {
    const person = await signInPerson(301)
    for (const headers of [headersOfConsole(person.value), credentialHeaders({ bearer: await person.token() })]) {
      const reply = await post(sensitive, headers)
      expect([reply.status, reply.body.code]).toEqual([401, 'step_up_required'])
      expect(reply.headers['www-authenticate']).toMatch(
        /^Bearer error="insufficient_user_authentication", error_description="[^"]+", max_age=300$/,
      )
      expect(await world.findAuditRecord(String(reply.headers['trace-id']))).toMatchObject({
        outcome: 'denied',
        code: 'step_up_required',
        actor: { type: 'user', id: person.userId },
      })
    }
    expect(reached).toBe(0)
  })

  test('rejects a caller without the permission with 403, whatever the age of the sign-in', async () => {
    for (const age of [0, 600]) {
      const reply = await post(sensitive, headersOfConsole((await signInPerson(age, [])).value))
      expect([reply.status, reply.body.code]).toEqual([403, 'permission_denied'])
    }
  })

  test('requires no step-up of an API key or of a JWT of another issuer', async () => {
    const credentials: Credential[] = [tenant.admin, { bearer: world.issuer.token(tenant.id, ['admin']) }]
    for (const credential of credentials) await post(sensitive, credentialHeaders(credential)).expect(200)
    expect(reached).toBe(2)
  })
})

test('an endpoint that is not sensitive accepts an old sign-in', async () => {
  await post(harmless, headersOfConsole((await signInPerson(3_600)).value)).expect(200)
  expect(reached).toBe(1)
})

test('what reveals a secret, and what gives access, is sensitive, and nothing else', () => {
  const names = contracts.flatMap(({ endpoints }) =>
    Object.entries(endpoints).flatMap(([name, { sensitive: isSensitive }]) => (isSensitive === true ? [name] : [])),
  )
  expect(names.sort()).toEqual(
    [
      ...['revealKey', 'revealSubscription', 'revealSubscriptions', 'revealAuthInfo', 'revealCode'],
      ...['createKey', 'updateKey', 'rotateKey', 'assignRoles', 'rotateSubscriptionSecret'],
      ...['createSubscription', 'updateSubscription', 'updateAuthInfo'],
      ...['createUserInvitation', 'updateUser', 'updateRole'],
      ...['createPaymentOrchestrator', 'updatePaymentOrchestrator', 'resolveOperation'],
    ].sort(),
  )
})
