import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import jwt from 'jsonwebtoken'
import {
  type Assertion,
  assertionHeader,
  assertionKeys,
  type SignedRequest,
  signAssertion,
  verifyAssertion,
} from '../src/assertion/assertion.ts'
import { stopServer } from '../src/process/serve.ts'
import { edgeKey, startLibrary } from './world.ts'

const now = 1_800_000_000
const key = createSecretKey(randomBytes(32))
const body = Buffer.from('{"name":"a key"}')
const request = { method: 'POST', path: '/v1/api-key/keys?limit=1', operation: 'createKey', body }
const edge = { issuer: 'gateway', audience: 'api-key', key }
const said: Assertion = {
  tenantId: randomUUID(),
  actor: { type: 'api_key', id: randomUUID() },
  permissions: ['apikey:ReadKey', 'apikey:CreateKey'],
  traceId: randomUUID(),
}
const verified = {
  issuer: 'gateway',
  ...said,
  operation: 'api-key.createKey',
  bodyHash: createHash('sha256').update(body).digest('base64url'),
}
const sign = () => signAssertion(said, edge, request)
const keys = new Map([['gateway', key]])
const verify = (token: string | undefined, received = request, audience = 'api-key', known = keys) =>
  verifyAssertion(token, audience, known, received)

beforeEach(() => void jest.useFakeTimers({ now: now * 1000, doNotFake: ['nextTick', 'setImmediate', 'setTimeout'] }))
afterEach(() => void jest.useRealTimers())

test.each(['api_key', 'user', 'anonymous'] as const)('names an actor of type %s', (type) => {
  const actor = { type, id: randomUUID() }
  const token = signAssertion({ ...said, actor }, edge, request)
  expect(verify(token)).toEqual({ ...verified, actor })
})

test('names the session, the roles and the browser of a caller that has them', () => {
  const browser = { address: '192.0.2.7', userAgent: null, cookies: { '__Host-session': 'x' } }
  for (const more of [
    { sessionId: randomUUID(), roleIds: [randomUUID(), randomUUID()] },
    { roleIds: [randomUUID()], roleNames: ['Kassa 2'] },
    { roleIds: [], roleNames: [] },
    { browser },
    { browser: { ...browser, userAgent: 'Browser/1 (“é”)', cookies: {} } },
  ]) {
    expect(verify(signAssertion({ ...said, ...more }, edge, request))).toEqual({ ...verified, ...more })
  }
})

/** Signs claims that the sender never signs. */
function forge(changes: object, { by = key, header = {} }: { by?: KeyObject; header?: object } = {}): string {
  const claims = { ...(jwt.decode(sign()) as object), ...changes }
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'gateway', ...header })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', by).update(signed).digest('base64url')}`
}

test('names issuer, audience, actor, tenant, permissions, request and lifetime, and nothing else', () => {
  expect(jwt.verify(sign(), key, { complete: true })).toMatchObject({
    header: { alg: 'HS256', kid: 'gateway' },
    payload: {
      iss: 'gateway',
      aud: 'api-key',
      sub: said.actor.id,
      actor_type: 'api_key',
      tenant_id: said.tenantId,
      scope: 'apikey:ReadKey apikey:CreateKey',
      trace_id: said.traceId,
      method: 'POST',
      path_hash: expect.stringMatching(/^[\w-]{43}$/),
      operation: 'api-key.createKey',
      body_hash: verified.bodyHash,
      iat: now,
      exp: now + 30,
    },
  })
  expect(Object.keys(jwt.decode(sign()) as object)).toHaveLength(13)
  expect(verify(sign())).toEqual(verified)
  expect(verify(forge({}))).toEqual(verified)
})

test('a caller with every permission has each that the service knows, and every other one those that are named', () => {
  const signed = (permissions: readonly Permission[]) => signAssertion({ ...said, permissions }, edge, request)
  expect(jwt.decode(signed(permissionNames))).toMatchObject({ scope: '*' })
  expect(verify(signed(permissionNames))?.permissions).toEqual(permissionNames)
  const others = permissionNames.slice(1)
  expect(jwt.decode(signed(others))).toMatchObject({ scope: others.join(' ') })
  expect(verify(signed(others))?.permissions).toEqual(others)
  expect(jwt.decode(signed(others.concat(others.slice(0, 1))))).not.toMatchObject({ scope: '*' })
})

const itself = (name: string) => ({ actor_type: 'service', sub: name, tenant_id: null })

describe('is rejected', () => {
  test.each<[string, Partial<typeof request>]>([
    ['another method', { method: 'DELETE' }],
    ['another path', { path: '/v1/api-key/keys/1?limit=1' }],
    ['another query', { path: '/v1/api-key/keys?limit=2' }],
    ['the path without its query', { path: '/v1/api-key/keys' }],
  ])('for %s', (_, change) => {
    expect(verify(sign(), { ...request, ...change })).toBeUndefined()
  })

  test('by another audience, even with the same key', () => {
    expect(verify(sign(), request, 'rbac')).toBeUndefined()
  })

  test('after 30 seconds, regardless of its exp claim', () => {
    const token = sign()
    const long = forge({ exp: now + 3_600 })
    jest.setSystemTime((now + 29) * 1000)
    expect([verify(token) === undefined, verify(long) === undefined]).toEqual([false, false])
    jest.setSystemTime((now + 31) * 1000)
    expect([verify(token), verify(long)]).toEqual([undefined, undefined])
  })

  test.each<[string, () => string | undefined]>([
    ['is not there', () => undefined],
    [
      'is not signed',
      () =>
        `${forge({}, { header: { alg: 'none' } })
          .split('.')
          .slice(0, 2)
          .join('.')}.`,
    ],
    ['names another algorithm', () => forge({}, { header: { alg: 'HS512' } })],
    ['has another key', () => forge({}, { by: createSecretKey(randomBytes(32)) })],
    ['has no end', () => forge({ exp: undefined })],
    ['has no beginning', () => forge({ iat: undefined })],
    ['names no operation', () => forge({ operation: undefined })],
    ['binds no body', () => forge({ body_hash: undefined })],
    ['names a permission that there is not', () => forge({ scope: 'apikey:ReadKey apikey:Everything' })],
    ['names every permission and another', () => forge({ scope: '* apikey:ReadKey' })],
    ['names an actor of another kind', () => forge({ actor_type: 'root' })],
    ['names roles that are no list', () => forge({ role_ids: 'admin' })],
    ['names a session that is no text', () => forge({ session_id: 7 })],
    ['names a browser without cookies', () => forge({ browser: { address: '192.0.2.7', userAgent: null } })],
    ['says too much', () => forge({ padding: 'x'.repeat(16_384) })],
    [
      'was changed after it was signed',
      () => sign().replace(/\.[^.]+\./, `.${forge({ tenant_id: null }).split('.')[1]}.`),
    ],
  ])('where it %s', (_, token) => {
    expect(verify(token())).toBeUndefined()
  })

  test('with the key of another pair of processes', () => {
    const ofRbac = createSecretKey(randomBytes(32))
    const known = new Map([...keys, ['rbac', ofRbac]])
    const asRbac = forge({ iss: 'rbac', ...itself('rbac') }, { by: ofRbac, header: { kid: 'rbac' } })
    expect(verify(asRbac, request, 'api-key', known)?.issuer).toBe('rbac')
    for (const token of [
      forge({}, { by: ofRbac }),
      forge({}, { by: ofRbac, header: { kid: 'rbac' } }),
      forge({ iss: 'rbac', ...itself('rbac') }, { by: ofRbac }),
      forge({ iss: 'rbac', ...itself('rbac') }, { header: { kid: 'rbac' } }),
    ]) {
      expect(verify(token, request, 'api-key', known)).toBeUndefined()
    }
  })

  test.each<[string, object]>([
    ['an API key', {}],
    ['a user', { actor_type: 'user' }],
    ['a client without a credential', { actor_type: 'anonymous', tenant_id: null }],
    ['another service', itself('gateway')],
    ['itself, in a tenant', { ...itself('rbac'), tenant_id: randomUUID() }],
  ])('if a service asserts %s with its own key', (_, actor) => {
    const ofRbac = createSecretKey(randomBytes(32))
    const token = forge({ iss: 'rbac', ...actor }, { by: ofRbac, header: { kid: 'rbac' } })
    expect(verify(token, request, 'api-key', new Map([['rbac', ofRbac]]))).toBeUndefined()
  })

  test('if the gateway asserts another service', () => {
    expect(verify(forge(itself('gateway')))?.actor).toEqual({ type: 'service', id: 'gateway' })
    expect(verify(forge(itself('rbac')))).toBeUndefined()
  })
})

describe('a service', () => {
  let server: Server
  let baseUrl: string
  beforeEach(async () => {
    jest.useRealTimers()
    ;({ server, baseUrl } = await startLibrary())
  })
  afterEach(() => stopServer(server, 0))
  const path = '/internal/count'
  const fetchStatus = async (headers: Record<string, string>) => (await fetch(baseUrl + path, { headers })).status
  const signed = (actor: Assertion['actor'], permissions: Permission[] = [], changes: Partial<SignedRequest> = {}) =>
    signAssertion(
      { tenantId: null, actor, permissions, traceId: randomUUID() },
      { issuer: 'reader', audience: 'library', key: edgeKey },
      { method: 'GET', path, operation: 'count', ...changes },
    )

  test('ignores headers that name a caller', async () => {
    const claimed = {
      authorization: `Bearer ${signed({ type: 'service', id: 'reader' })}`,
      'tenant-id': randomUUID(),
      'x-internal-assertion': signed({ type: 'service', id: 'reader' }),
      'x-actor-type': 'service',
    }
    expect(await fetchStatus(claimed)).toBe(401)
    expect(await fetchStatus({ ...claimed, [assertionHeader]: signed({ type: 'api_key', id: 'reader' }) })).toBe(401)
    expect(await fetchStatus({ [assertionHeader]: signed({ type: 'service', id: 'reader' }) })).toBe(200)
  })

  const service = { type: 'service', id: 'reader' } as const
  const respondTo = async (signedAs: Partial<SignedRequest>, sent: { path: string } & RequestInit) => {
    const assertion = signed(service, [], { method: sent.method ?? 'GET', path: sent.path, ...signedAs })
    const headers = { 'content-type': 'application/json', [assertionHeader]: assertion }
    const response = await fetch(baseUrl + sent.path, { ...sent, headers })
    return [response.status, ((await response.json()) as { code?: string }).code]
  }
  const rejected = [401, 'invalid_credentials']

  test('rejects a request whose route is another operation than the signed one', async () => {
    expect(await respondTo({ operation: 'count' }, { path })).toEqual([200, undefined])
    expect(await respondTo({ operation: 'removeBook' }, { path })).toEqual(rejected)
    expect(await respondTo({ operation: '' }, { path })).toEqual(rejected)
    // The target is signed byte for byte, and the router of Express reads another path than the sender.
    const target = '/internal\\count#'
    const assertion = signed(service, [], { path: target, operation: 'echo' })
    const head = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${assertionHeader}: ${assertion}\r\n\r\n`
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(head))
      let text = ''
      socket.on('data', (chunk) => (text += chunk)).on('error', reject)
      socket.on('close', () => resolve(text))
    })
    expect(response).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('rejects a body that differs from the signed one, before parsing', async () => {
    const echo = (signedBody: string | undefined, sentBody: string | undefined) =>
      respondTo(
        { operation: 'echo', body: signedBody === undefined ? undefined : Buffer.from(signedBody) },
        { path: '/internal/echo', method: 'POST', ...(sentBody === undefined ? {} : { body: sentBody }) },
      )
    expect(await echo('{"word":"a"}', '{"word":"a"}')).toEqual([200, undefined])
    expect(await echo('{"word":"a"}', '{"word":"b"}')).toEqual(rejected)
    expect(await echo('{"word":"a"}', '{"word":"a" }')).toEqual(rejected)
    expect(await echo('{"word":"a"}', '{"word":')).toEqual(rejected)
    expect(await echo('{"word":"a"}', undefined)).toEqual(rejected)
    expect(await echo(undefined, '{"word":"a"}')).toEqual(rejected)
    expect(await echo(undefined, undefined)).toEqual([400, 'invalid_request'])
    expect(await echo('', undefined)).toEqual([400, 'invalid_request'])
  })

  test('rejects an unsigned body at an endpoint without a body, and ignores a signed one', async () => {
    const removeBook = (signedBody: string, sentBody: string) =>
      respondTo(
        { operation: 'removeBook', body: Buffer.from(signedBody) },
        { path: '/internal/shelves/a/books/b', method: 'DELETE', body: sentBody },
      )
    expect(await removeBook('x', 'x')).toEqual([200, undefined])
    expect(await removeBook('', 'x')).toEqual(rejected)
    expect(await removeBook('y', 'x')).toEqual(rejected)
  })

  test('rejects a request with two assertions', async () => {
    const one = signed({ type: 'service', id: 'reader' })
    expect(await fetchStatus({ [assertionHeader]: `${one}, ${one}` })).toBe(401)
  })
})

describe('the keys of edges', () => {
  const random = () => randomBytes(32).toString('base64')

  test('must be 32 random bytes each; the error names every invalid key and shows no value', () => {
    expect([...(assertionKeys.safeParse({ gateway: random(), rbac: random() }).data?.keys() ?? [])]).toEqual([
      'gateway',
      'rbac',
    ])
    const short = randomBytes(31).toString('base64')
    const zeros = Buffer.alloc(32).toString('base64')
    const word = Buffer.alloc(32, 'changeme').toString('base64')
    const issues = assertionKeys.safeParse({ short, good: random(), zeros, word }).error?.issues ?? []
    expect(issues.map(({ message }) => message)).toEqual([
      'short: must be base64 of 32 bytes',
      'zeros: looks like a default: use 32 random bytes',
      'word: looks like a default: use 32 random bytes',
    ])
    for (const secret of [short, zeros, word]) expect(JSON.stringify(issues)).not.toContain(secret)
  })
})
