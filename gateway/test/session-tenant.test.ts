import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { credentialHeaders, headersOfConsole, startWorld, type TestTenant, type World } from './world.ts'

/** The Tenant-ID beside a session: the tenant of the tab, while all tabs of the browser share the session. */
let world: World
let tenant: TestTenant
let other: TestTenant
beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  other = await world.tenant()
})
afterAll(() => world.stop())

const signIn = (kind: 'browser' | 'cli' = 'browser') =>
  world.identity.signIn({ tenantId: tenant.id, roleIds: [tenant.adminRole], kind })

const sendIn = (tenantId: string, headers: Record<string, string>, url = world.url) =>
  request(url)
    .get('/v1/api-key/keys?limit=1')
    .set({ ...headers, 'Tenant-ID': tenantId })

test('a session as bearer or JWT is rejected with the Tenant-ID of another tenant, and accepted with its own', async () => {
  const person = await signIn('cli')
  for (const bearer of [person.value, await person.token()]) {
    const { body } = await sendIn(other.id, credentialHeaders({ bearer })).expect(401)
    expect(body.code).toBe('invalid_credentials')
    await sendIn(tenant.id, credentialHeaders({ bearer })).expect(200)
  }
})

describe('a cookie with a Tenant-ID that is not the tenant of its session', () => {
  test('is rejected with the same response whether the tenant exists or not, and reaches no service', async () => {
    const person = await signIn()
    let reached = 0
    world.upstream.respond((_, response) => {
      reached += 1
      response.end('{}')
    })
    const send = (tenantId: string) =>
      world.sendAsConsole('post', '/v1/payment-proxy/transactions', person).set('Tenant-ID', tenantId).send({})
    const traceId = randomUUID()
    for (const tenantId of [other.id, randomUUID()]) {
      const reply = await send(tenantId).set('Trace-ID', traceId)
      expect([reply.status, reply.body]).toEqual([
        401,
        {
          type: '/problems/session_of_another_tenant',
          title: 'Session of another tenant',
          status: 401,
          detail: 'The session of the browser is for another tenant than Tenant-ID names. Nothing was changed',
          code: 'session_of_another_tenant',
          trace_id: traceId,
        },
      ])
    }
    expect(reached).toBe(0)
    await send(tenant.id.toUpperCase()).expect(200)
    expect(reached).toBe(1)
  })

  test('is no failed authentication: the address is not blocked, and its known caller stays known', async () => {
    const strict = await world.addGateway({ FAILED_AUTHENTICATIONS_PER_MINUTE: '1', TRUSTED_PROXIES: '1' })
    const person = await signIn()
    const send = (tenantId: string, { value } = person) =>
      sendIn(tenantId, { ...headersOfConsole(value), 'X-Forwarded-For': '198.51.100.8' }, strict.url)
    const ended = await signIn()
    await send(tenant.id).expect(200)
    for (let i = 0; i < 5; i += 1) await send(other.id).expect(401)
    await send(tenant.id, ended).expect(200)
    await world.identity.end(ended)
    for (let i = 0; i < 3; i += 1) await send(tenant.id, ended).expect(401)
    const { body } = await send(other.id).expect(401)
    expect(body.code).toBe('session_of_another_tenant')
    await send(tenant.id).expect(200)
    await strict.stop()
  })

  test('of a session that has ended is an invalid credential', async () => {
    const person = await signIn()
    await world.identity.end(person)
    const { body } = await sendIn(other.id, headersOfConsole(person.value)).expect(401)
    expect(body.code).toBe('invalid_credentials')
  })
})
