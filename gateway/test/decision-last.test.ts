import { randomUUID } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { path, readBytes } from './forwarding.ts'
import type { Person } from './identity.ts'
import {
  type Credential,
  credentialHeaders,
  headersOfConsole,
  startWorld,
  type TestTenant,
  until,
  type World,
} from './world.ts'

/** The gateway authorizes a request after its last byte, regardless of when its headers arrived. */
let world: World
let tenant: TestTenant
let reached: string[]

beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
beforeEach(() => {
  reached = []
  world.upstream.respond((incoming, response) => {
    reached.push(String(incoming.method))
    incoming.resume().on('end', () => response.end('{}'))
  })
})
afterAll(() => world.stop())

const unfinished = (credential: Credential, length: OutgoingHttpHeaders) =>
  unfinishedWith(credentialHeaders(credential), length)

/** A POST with an unfinished body. `finish` sends the rest and resolves with the response. */
async function unfinishedWith(ofCaller: OutgoingHttpHeaders, length: OutgoingHttpHeaders, to: World = world) {
  const before = to.reading()
  const headers = { ...ofCaller, 'Content-Type': 'application/json', ...length }
  const sent = httpRequest(`${to.url}${path}`, { method: 'POST', headers, agent: false })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  responded.catch(() => 'reported by finish')
  sent.write('{"a"')
  await until(() => (to.reading() > before ? true : undefined))
  return {
    sent,
    responded,
    finish: async () => {
      sent.end(':1}')
      const response = await responded
      const text = (await readBytes(response)).toString()
      return { status: response.statusCode, headers: response.headers, code: JSON.parse(text).code as unknown }
    },
  }
}

const lengths: [string, OutgoingHttpHeaders][] = [
  ['of announced length', { 'Content-Length': 7 }],
  ['in chunks', { 'Transfer-Encoding': 'chunked' }],
]
const invalid = { status: 401, code: 'invalid_credentials' }
const denied = { status: 403, code: 'permission_denied' }

async function customRole(): Promise<{ id: string; name: string }> {
  const body = { name: randomUUID(), permissions: ['transaction:CreateTransaction'] }
  return (await world.send('post', '/v1/rbac/roles', tenant.admin).send(body).expect(201)).body
}

describe.each(lengths)('while the body %s is unfinished', (_name, length) => {
  const patch = (id: string, body: object) =>
    world.send('patch', `/v1/api-key/keys/${id}`, tenant.admin).send(body).expect(200)
  const ofKeys: [string, object, (key: { id: string }, role: { id: string }) => Promise<unknown>][] = [
    [
      'the key is deleted',
      invalid,
      ({ id }) => world.send('delete', `/v1/api-key/keys/${id}`, tenant.admin).expect(204),
    ],
    ['the key is disabled', invalid, ({ id }) => patch(id, { enabled: false })],
    ['the key expires', invalid, ({ id }) => patch(id, { expires_at: new Date(Date.now() - 1).toISOString() })],
    [
      'the key is rotated without grace',
      invalid,
      ({ id }) => world.send('post', `/v1/api-key/keys/${id}/rotate`, tenant.admin).send({}).expect(200),
    ],
    [
      'its allowed_cidrs are narrowed',
      { status: 403, code: 'address_not_allowed' },
      ({ id }) => patch(id, { allowed_cidrs: ['203.0.113.0/24'] }),
    ],
    [
      'its roles are removed',
      denied,
      ({ id }) => world.send('put', `/v1/api-key/keys/${id}/roles`, tenant.admin).send({ role_ids: [] }).expect(200),
    ],
    [
      'its role is edited',
      denied,
      (_, { id }) => world.send('put', `/v1/rbac/roles/${id}`, tenant.admin).send({ permissions: [] }).expect(200),
    ],
  ]

  test.each(ofKeys)(
    '%s: the request is rejected after its last byte and does not reach the service',
    async (_, rejection, take) => {
      const role = await customRole()
      const key = await tenant.keyWith([])
      await world
        .send('put', `/v1/api-key/keys/${key.id}/roles`, tenant.admin)
        .send({ role_ids: [role.id] })
        .expect(200)
      const traceId = randomUUID()
      const request = await unfinished({ ...key, traceId }, length)
      await take(key, role)
      expect(await request.finish()).toMatchObject(rejection)
      expect(reached).toEqual([])
      expect(await world.findAuditRecord(traceId)).toMatchObject({
        ...rejection,
        outcome: 'denied',
        actor: { id: key.id },
      })
    },
  )

  test.each([
    ['edited', 'put'],
    ['deleted', 'delete'],
  ] as const)('the role that a token names is %s: the request is rejected after its last byte', async (_, method) => {
    const role = await customRole()
    const request = await unfinished({ bearer: world.issuer.token(tenant.id, [role.name]) }, length)
    await world
      .send(method, `/v1/rbac/roles/${role.id}`, tenant.admin)
      .send(method === 'put' ? { permissions: [] } : {})
    expect(await request.finish()).toMatchObject(denied)
    expect(reached).toEqual([])
  })

  test.each([
    ['ends', invalid, (person: Person) => world.identity.end(person)],
    ['loses the roles of its user', denied, (person: Person) => world.identity.replaceRoles(person, [])],
  ])('a session %s: requests with it are rejected after their last byte', async (_, rejection, change) => {
    const person = await world.identity.signIn({ tenantId: tenant.id, roleIds: [tenant.adminRole] })
    const requests = [
      await unfinishedWith(headersOfConsole(person.value), length),
      await unfinished({ bearer: await person.token() }, length),
    ]
    await change(person)
    for (const { finish } of requests) expect(await finish()).toMatchObject(rejection)
    expect(reached).toEqual([])
  })

  test('a token expires: the request is rejected after its last byte', async () => {
    // The verifier allows 30 s of clock skew.
    const token = { bearer: world.issuer.token(tenant.id, ['admin'], { expiresIn: -25 }) }
    const request = await unfinished(token, length)
    await until(async () => ((await world.send('get', path, token)).status === 401 ? true : undefined))
    reached = []
    expect(await request.finish()).toMatchObject(invalid)
    expect(reached).toEqual([])
  })

  test('the tenant is suspended: requests with a key and with a token are rejected after their last byte', async () => {
    const unlucky = await world.tenant()
    const requests = [
      await unfinished(unlucky.admin, length),
      await unfinished({ bearer: world.issuer.token(unlucky.id, ['admin']) }, length),
    ]
    await unlucky.suspend()
    for (const { finish } of requests) expect(await finish()).toMatchObject({ status: 403, code: 'tenant_suspended' })
    expect(reached).toEqual([])
  })

  test('nothing changes: the request is forwarded, and the bytes of its body are released', async () => {
    const request = await unfinished(tenant.admin, length)
    expect(await request.finish()).toMatchObject({ status: 200 })
    expect(reached).toEqual(['POST'])
    await until(() => (world.reading() === 0 ? true : undefined))
  })
})

test('a reveal is authorized again after it has been counted', async () => {
  let revoke: (() => Promise<unknown>) | undefined
  const counting = await startWorld({
    alter: (deps) => {
      const takeReveal: typeof deps.limits.takeReveal = async (...parameters) => {
        await revoke?.()
        return deps.limits.takeReveal(...parameters)
      }
      return { ...deps, limits: { ...deps.limits, takeReveal } }
    },
  })
  try {
    const own = await counting.tenant()
    const key = await own.keyWith(['apikey:RevealKey'])
    const target = `/v1/api-key/keys/${key.id}/reveal`
    await counting.send('get', target, key).expect(200)
    revoke = () => counting.send('delete', `/v1/api-key/keys/${key.id}`, own.admin).expect(204)
    const reply = await counting.send('get', target, key)
    expect([reply.status, reply.body.code]).toEqual([401, 'invalid_credentials'])
  } finally {
    await counting.stop()
  }
})
