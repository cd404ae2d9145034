import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { type Contract, contract, type Endpoint } from '@payments/contracts/grammar/contract'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { z } from 'zod'
import { withoutSession } from '../src/authorization/principal.ts'
import { authorize } from '../src/pipeline/authorize.ts'
import { createRouteTable } from '../src/route-table.ts'
import { startWorld, type TestTenant, type World } from './world.ts'

const endpoints = contracts.flatMap((each) =>
  Object.entries(each.endpoints).map(([operation, endpoint]) => ({ operation, endpoint })),
)
const exposed = endpoints.filter(({ endpoint }) => endpoint.audience === 'tenant')
const internal = endpoints.filter(({ endpoint }) => endpoint.audience === 'internal')
const fillPath = (endpoint: Endpoint) => endpoint.path.replaceAll(/\{\w+\}/g, () => randomUUID())

describe('the table', () => {
  const routes = createRouteTable(contracts)

  test('has every endpoint for tenants under its own name', () => {
    for (const { operation, endpoint } of exposed) {
      expect(routes.match(endpoint.method, fillPath(endpoint))).toMatchObject({ kind: 'route', route: { operation } })
    }
  })

  test('has no internal endpoint', () => {
    expect(internal.length).toBeGreaterThan(0)
    for (const { endpoint } of internal) expect(routes.match(endpoint.method, fillPath(endpoint))).toBeUndefined()
  })

  const createContract = (paths: Record<string, `/${string}`>): Contract =>
    contract({
      service: 'a',
      description: 'A test service.',
      problems: {},
      events: {},
      endpoints: Object.fromEntries(
        Object.entries(paths).map(([name, path]) => [
          name,
          {
            method: 'GET',
            path,
            audience: 'tenant',
            permission: 'rbac:ReadRole',
            summary: name,
            replies: { 200: z.object() },
          },
        ]),
      ),
    })

  test('prefers a literal to a parameter, and tries the parameter when the literal has no match', () => {
    const table = createRouteTable([
      createContract({ one: '/v1/a/x/{id}/end', two: '/v1/a/{id}/y', three: '/v1/a/x/y/z' }),
    ])
    const operationAt = (path: string) => {
      const match = table.match('GET', path)
      return match?.kind === 'route' ? match.route.operation : undefined
    }
    expect(['/v1/a/x/y/z', '/v1/a/x/y/end', '/v1/a/x/y', '/v1/a/x/y/q', '/v1/a//y'].map(operationAt)).toEqual([
      'three',
      'one',
      'two',
      undefined,
      undefined,
    ])
  })

  test('a path that only literals serve allows the methods of its endpoints, whatever a template would match', () => {
    const routed = endpoints.filter(({ endpoint }) => endpoint.audience !== 'internal')
    const literal = routed.filter(({ endpoint }) => {
      const segments = endpoint.path.split('/')
      return routed.some(({ endpoint: { path } }) => {
        const others = path.split('/')
        const isTemplate = others.every((other, i) => other === segments[i] || other.startsWith('{'))
        return path !== endpoint.path && others.length === segments.length && isTemplate
      })
    })
    expect(literal.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining([
        'createAndAuthorizeTransaction',
        'discardDeadLetters',
        'redriveDeadLetters',
        'readOwnKey',
      ]),
    )
    for (const { endpoint } of literal) {
      const path = fillPath(endpoint)
      const own = routed.filter((other) => other.endpoint.path === endpoint.path).map((other) => other.endpoint.method)
      const expected = own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort()
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !expected.includes(one))) {
        const found = routes.match(method, path)
        expect([path, method, found?.kind === 'other_method' && [...found.allowed].sort()]).toEqual([
          path,
          method,
          expected,
        ])
      }
    }
  })

  test('rejects contracts that cannot be routed', () => {
    expect(() => createRouteTable([createContract({ one: '/v1/a/x', two: '/v1/a/x' })])).toThrow('same method and path')
    expect(() => createRouteTable([createContract({ one: '/v1/b/x' })])).toThrow('not below /v1/a/')
  })
})

test('every endpoint that reveals a secret is declared as a reveal', () => {
  const named = exposed.filter(({ endpoint }) => /:Reveal/.test(String(endpoint.permission)))
  const declared = exposed.filter(({ endpoint }) => endpoint.reveals === true)
  expect(declared.map(({ operation }) => operation)).toEqual(named.map(({ operation }) => operation))
  expect(declared.map(({ operation }) => operation)).toContain('revealKey')
  for (const { endpoint } of declared)
    expect([endpoint.method, endpoint.path]).toEqual(['GET', expect.stringMatching(/\/reveal$/)])
})

describe('every endpoint', () => {
  let world: World
  let tenant: TestTenant
  let powerless: { bearer: string; tenantId: string }
  /** Requests of tenants that reached a service. */
  const calls: string[] = []

  beforeAll(async () => {
    world = await startWorld()
    tenant = await world.tenant()
    powerless = await tenant.keyWith([])
    const observe = ({ method, url }: IncomingMessage) => {
      if (url?.startsWith('/v1/')) calls.push(`${method} ${url}`)
    }
    for (const { server } of [world.upstream, world.apiKey, world.identity, world.rbac]) server.on('request', observe)
  })
  afterAll(() => world.stop())

  test.each(exposed)(
    '$operation rejects a request without a credential and without its permission',
    async ({ endpoint }) => {
      const method = endpoint.method.toLowerCase() as 'get'
      const before = calls.length
      await world.send(method, fillPath(endpoint), { bearer: 'x' }).expect(401)
      const reply = await world.send(method, fillPath(endpoint), powerless).expect(403)
      expect(reply.body.detail).toContain(endpoint.permission)
      expect(calls.slice(before)).toEqual([])
      // `calls` would contain a forwarded call.
      await world.send(method, fillPath(endpoint), await tenant.keyWith([endpoint.permission as Permission]))
      expect(calls.slice(before)).toEqual([expect.stringMatching(`^${endpoint.method} /v1/`)])
    },
  )

  test.each(exposed)('$operation rejects all other permissions together', async ({ endpoint }) => {
    const rest = permissionNames.filter((name) => name !== endpoint.permission)
    const almost = await tenant.keyWith(rest)
    const before = calls.length
    await world.send(endpoint.method.toLowerCase() as 'get', fillPath(endpoint), almost).expect(403)
    expect(calls.slice(before)).toEqual([])
  })
})

test('accepts a key from its allowed addresses only', () => {
  const route = { service: 'rbac', operation: 'listRoles', endpoint: exposed[0]?.endpoint as Endpoint }
  const authorizeFrom = (address: string, allowedCidrs: string[]) =>
    authorize({
      route,
      principal: {
        tenantId: '',
        tenantStatus: 'active',
        actor: { type: 'api_key', id: '' },
        permissions: permissionNames,
        roleIds: [],
        roleNames: [],
        allowedCidrs,
        ...withoutSession,
      },
      address,
    })
  expect(() => authorizeFrom('10.1.2.3', ['10.0.0.0/8'])).not.toThrow()
  expect(() => authorizeFrom('2001:db8::1', ['10.0.0.0/8', '2001:db8::/32'])).not.toThrow()
  for (const [address, cidrs] of [
    ['11.1.2.3', ['10.0.0.0/8']],
    ['2001:db9::1', ['10.0.0.0/8', '2001:db8::/32']],
    ['10.1.2.3', []],
  ] as const) {
    expect(() => authorizeFrom(address, [...cidrs])).toThrow('address_not_allowed')
  }
})
