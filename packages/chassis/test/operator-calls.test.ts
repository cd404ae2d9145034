import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { signCall } from '@payments/testing/calls/signed-call'
import { createAppServer, stopServer } from '../src/process/serve.ts'
import type { OperatorCalls } from '../src/request/operator-calls.ts'
import { edgeKey, library, libraryApp } from './world.ts'

const operator = 'ada@example.com'

/** Stores records in the order of the calls, and fails at the given step. */
function recorder(failsAt?: 'begin' | 'complete') {
  const stored: [string, AuditRecord][] = []
  const store = (step: 'begin' | 'complete') => async (record: AuditRecord) => {
    if (step === failsAt) throw new Error('the database is unavailable')
    stored.push([step, record])
  }
  const calls: OperatorCalls = { begin: store('begin'), complete: store('complete') }
  return { stored, app: libraryApp({ operatorCalls: calls }) }
}

type Sent = { method?: 'GET' | 'POST' | 'DELETE'; path: string; body?: unknown; issuer?: string; by?: string | null }

const servers: ReturnType<typeof createAppServer>[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => stopServer(server, 0)))
})

async function send(app: ReturnType<typeof libraryApp>, sent: Sent) {
  const { method = 'POST', path, body, issuer = 'payctl', by = operator } = sent
  const server = createAppServer(app).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const traceId: string = randomUUID()
  const actor = { type: 'service' as const, id: issuer }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const claims = { tenantId: null, actor, permissions: [], traceId, ...(by === null ? {} : { operator: by }) }
  const assertion = signCall(library, edgeKey, claims, { method, path, body: text }, issuer)
  const reply = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method,
    headers: { 'Internal-Assertion': assertion, 'Content-Type': 'application/json' },
    ...(text === undefined ? {} : { body: text }),
  })
  const received = await reply.text()
  return { response: { status: reply.status, text: received, body: JSON.parse(received) }, traceId }
}

test('shows no value of an API key in the path of a record', async () => {
  const { app, stored } = recorder()
  const { response } = await send(app, { method: 'GET', path: `/internal/psk_dev_${'a1B'.repeat(16)}c?shout=1` })
  expect(response.status).toBe(404)
  expect(stored.map(([, { path }]) => path)).toEqual(['/internal/%5Bcredential%5D'])
})

test('records a call of an operator before its handler runs, and its outcome before the response', async () => {
  const { app, stored } = recorder()
  const { response, traceId } = await send(app, { path: '/internal/echo?shout=1', body: { word: 'a secret' } })
  expect(response.status).toBe(200)
  const common = {
    trace_id: traceId,
    actor: { type: 'operator', id: operator },
    method: 'POST',
    path: '/internal/echo',
    operation: 'echo',
    tenant_id: null,
    client_gone: false,
    count: 1,
  }
  expect(stored).toEqual([
    ['begin', expect.objectContaining({ ...common, outcome: 'error', status: 500, code: 'outcome_unknown' })],
    ['complete', expect.objectContaining({ ...common, outcome: 'success', status: 200, code: null })],
  ])
  expect(stored[0]?.[1].id).toBe(stored[1]?.[1].id)
  expect(JSON.stringify(stored)).not.toContain('secret')
})

test.each<[string, Sent, Partial<AuditRecord>]>([
  ['a read', { method: 'GET', path: '/internal/count' }, { operation: 'count', outcome: 'success', status: 200 }],
  [
    'a problem',
    { path: '/internal/echo', body: { word: 'a', fail: 'problem' } },
    { operation: 'echo', outcome: 'rejected', status: 409, code: 'shelf_full' },
  ],
  [
    'a bug',
    { path: '/internal/echo', body: { word: 'a', fail: 'bug' } },
    { operation: 'echo', outcome: 'error', status: 500, code: 'internal_error' },
  ],
  [
    'a malformed body',
    { path: '/internal/echo', body: { word: 7 } },
    { operation: 'echo', outcome: 'rejected', status: 400, code: 'invalid_request' },
  ],
  [
    'a path that does not exist',
    { method: 'GET', path: '/internal/nowhere?x=1' },
    { operation: null, path: '/internal/nowhere', outcome: 'rejected', status: 404, code: 'route_not_found' },
  ],
])('records %s', async (_case, sent, expected) => {
  const { app, stored } = recorder()
  await send(app, sent)
  expect(stored.at(-1)?.[0]).toBe('complete')
  expect(stored.at(-1)?.[1]).toMatchObject({ ...expected, actor: { type: 'operator', id: operator } })
})

test('runs no call that cannot be recorded, and sends nothing of it', async () => {
  const { app, stored } = recorder('begin')
  const { response } = await send(app, { path: '/internal/echo', body: { word: 'heard' } })
  expect(response.status).toBe(500)
  expect(response.text).not.toContain('heard')
  expect(stored).toMatchObject([['complete', { status: 500 }]])
})

test('sends the response of a recorded call even if its outcome cannot be recorded', async () => {
  const { app, stored } = recorder('complete')
  const { response } = await send(app, { path: '/internal/echo', body: { word: 'heard' } })
  expect([response.status, response.body.word]).toEqual([200, 'heard'])
  expect(stored).toMatchObject([['begin', { code: 'outcome_unknown' }]])
})

test('sends no response to a rejected call that cannot be recorded', async () => {
  const { app } = recorder('complete')
  await expect(send(app, { path: '/internal/echo', body: { word: 7 } })).rejects.toThrow('fetch failed')
})

test('rejects payctl without the name of an operator', async () => {
  const { app, stored } = recorder()
  for (const by of [null, '', 'x'.repeat(201)]) {
    const { response } = await send(app, { method: 'GET', path: '/internal/count', by })
    expect([response.status, response.body.code]).toEqual([401, 'invalid_credentials'])
  }
  expect(stored).toEqual([])
})

test('does not record calls of services, and rejects a service that names an operator', async () => {
  const { app, stored } = recorder()
  const { response } = await send(app, { method: 'GET', path: '/internal/count', issuer: 'reader', by: null })
  expect(response.status).toBe(200)
  const { response: disguised } = await send(app, { method: 'GET', path: '/internal/count', issuer: 'reader' })
  expect([disguised.status, disguised.body.code]).toEqual([401, 'invalid_credentials'])
  expect(stored).toEqual([])
})
