import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contract } from '@payments/contracts/grammar/contract'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import { assertionHeader, signAssertion } from '../src/assertion/assertion.ts'
import type { Caller } from '../src/base/caller.ts'
import { createLog } from '../src/observability/log.ts'
import { createMetrics } from '../src/process/metrics.ts'
import { createAppServer, listen, stopServer } from '../src/process/serve.ts'
import { createServiceApp } from '../src/request/app.ts'

/** Which permissions of its caller a handler gets. */
const endpoint = <O extends string>(operation: O) =>
  ({
    method: 'GET',
    path: `/v1/archive/${operation}`,
    audience: 'tenant',
    permission: 'audit:ReadRecord',
    summary: 'Read.',
    replies: { 204: null },
  }) as const

const archive = contract({
  service: 'archive',
  description: 'A test service.',
  problems: {},
  events: {},
  endpoints: {
    readNone: endpoint('readNone'),
    readTwo: { ...endpoint('readTwo'), readsPermissions: ['rbac:ReadRole', 'rbac:UpdateRole'] },
    readAll: { ...endpoint('readAll'), readsPermissions: 'all' },
  },
})

const key = createSecretKey(randomBytes(32))
let received: Caller | undefined
const receive = async (caller: Caller) => {
  received = caller
  return undefined
}

const server = createAppServer(
  createServiceApp({
    contract: archive,
    keys: new Map([['gateway', key]]),
    operatorCalls: { begin: () => Promise.reject(new Error('no')), complete: () => Promise.reject(new Error('no')) },
    log: createLog('archive', 'fatal'),
    metrics: createMetrics('archive'),
    readiness: { required: {}, optional: {} },
    handlers: { readNone: receive, readTwo: receive, readAll: receive },
  }),
)
let port: number
beforeAll(async () => {
  port = await listen(server, { host: '127.0.0.1', port: 0 })
})
afterAll(() => stopServer(server, 0))

async function receivePermissions(operation: string, asserted: readonly Permission[]) {
  received = undefined
  const actor = { type: 'api_key' as const, id: randomUUID() }
  const assertion = { tenantId: randomUUID(), actor, permissions: asserted, traceId: randomUUID() }
  const edge = { issuer: 'gateway', audience: 'archive', key }
  const path = `/v1/archive/${operation}`
  const token = signAssertion(assertion, edge, { method: 'GET', path, operation })
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { [assertionHeader]: token } })
  expect(status).toBe(204)
  const { permissions } = received as unknown as { permissions?: ReadonlySet<Permission> }
  return permissions === undefined ? undefined : [...permissions]
}

test('a handler gets the permissions that its endpoint declares, of an assertion that names every permission', async () => {
  expect([
    await receivePermissions('readNone', permissionNames),
    await receivePermissions('readTwo', permissionNames),
    await receivePermissions('readAll', permissionNames),
  ]).toEqual([undefined, ['audit:ReadRecord', 'rbac:ReadRole', 'rbac:UpdateRole'], permissionNames])
})

test('a handler gets no permission that the assertion does not name', async () => {
  const asserted = ['audit:ReadRecord', 'rbac:UpdateRole'] as const
  expect([
    await receivePermissions('readNone', asserted),
    await receivePermissions('readTwo', asserted),
    await receivePermissions('readAll', asserted),
  ]).toEqual([undefined, asserted, asserted])
})

test.each(['public', 'internal'] as const)(
  'a contract with permissions to read at a %s endpoint does not load',
  (audience) => {
    const { permission: _, ...rest } = endpoint('readNone')
    const callers = audience === 'internal' ? { callers: ['gateway'] } : {}
    const readNone = { ...rest, audience, ...callers, readsPermissions: 'all' } as const
    expect(() => contract({ ...archive, endpoints: { readNone } })).toThrow('archive.readNone: only the caller')
  },
)
