import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion/assertion'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { recordedTenantHeader, recordedUserHeader } from '@payments/contracts/services/audit/contract'
import request from 'supertest'
import { createForwarding } from '../src/pipeline/forward.ts'
import { auditIn, sendRaw, startWorld, until, type World } from './world.ts'

const perMinute = 2
const newCode = () => randomBytes(24).toString('base64url')
const policy = "default-src 'none'"
const headersOfPage = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=()',
}

let world: World
/** Requests that reached the service. */
let received: IncomingMessage[] = []

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())
beforeEach(() => {
  received = []
  respondWith(200, headersOfPage, '<p>Pay</p>')
})

function respondWith(status: number, headers: Record<string, string>, body: string) {
  world.upstream.respond((incoming, response) => {
    received.push(incoming)
    incoming.resume().on('end', () => response.writeHead(status, headers).end(body))
  })
}

function readAssertion({ headers, method = '', url = '' }: IncomingMessage) {
  const key = world.edges.get('invite-to-pay')
  if (key === undefined) throw new Error('no key')
  const token = String(headers['internal-assertion'])
  return verifyAssertion(token, 'invite-to-pay', new Map([['gateway', key]]), { method, path: url })
}

const pay = (method: 'get' | 'head' | 'post' | 'put' | 'options', path: string) => request(world.url)[method](path)

function expectHtmlProblem(reply: request.Response, status: number) {
  expect([reply.status, reply.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
  expect(reply.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  expect(reply.text).toContain(`<code>${reply.headers['trace-id']}</code>`)
}

describe('a page of a service', () => {
  test('passes with its headers to a browser without a credential and without a Trace-ID', async () => {
    const code = newCode()
    const reply = await pay('get', `/pay/${code}?utm_source=mail`)
      .set({ 'Accept-Language': 'de', 'X-Anything': 'y', Cookie: 'a=b', Authorization: 'Bearer anything' })
      .expect(200)
    expect(reply.text).toBe('<p>Pay</p>')
    expect(reply.headers).toMatchObject(headersOfPage)
    expect(received[0]?.headers['accept-language']).toBe('de')
    for (const dropped of ['authorization', 'cookie', 'x-anything'])
      expect(received[0]?.headers).not.toHaveProperty(dropped)
    expect(received[0] && readAssertion(received[0])).toMatchObject({
      operation: 'invite-to-pay.showPayPage',
      tenantId: null,
      actor: { type: 'anonymous' },
      permissions: [],
      traceId: reply.headers['trace-id'],
    })
  })

  test('responds to a HEAD as to the GET, without a body', async () => {
    const reply = await pay('head', `/pay/${newCode()}`).expect(200)
    expect([reply.text ?? '', reply.headers]).toEqual(['', expect.objectContaining(headersOfPage)])
    expect(received.map(({ method }) => method)).toEqual(['GET'])
  })

  test('receives the form as bytes with its headers, and redirects', async () => {
    const code = newCode()
    respondWith(303, { ...headersOfPage, location: `/pay/${code}` }, '')
    const reply = await pay('post', `/pay/${code}`)
      .set({ 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin', Origin: 'null' })
      .send('nonce=1&cc_token=tok_sandbox_visa')
      .redirects(0)
    expect([reply.status, reply.headers['location']]).toEqual([303, `/pay/${code}`])
    expect(received[0]?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      origin: 'null',
      'content-length': '33',
    })
  })
})

describe('the tenant that a service names for the audit', () => {
  const tenantId = randomUUID()
  const problem = new Problem(commonProblems.service_unavailable, {}).toBody(randomUUID())

  test.each([
    ['a page', 200, headersOfPage, '<p>Pay</p>'],
    ['a redirect', 303, { ...headersOfPage, location: '/pay/x' }, ''],
    ['a problem', 503, { 'content-type': 'application/problem+json' }, JSON.stringify(problem)],
  ])('is in the record of %s, and in no response', async (_kind, status, headers, body) => {
    respondWith(status, { ...headers, [recordedTenantHeader]: tenantId }, body)
    const reply = await pay('post', `/pay/${newCode()}`).type('form').send('a=b').redirects(0)
    expect([reply.status, reply.headers[recordedTenantHeader]]).toEqual([status, undefined])
    expect(await world.findAuditRecord(String(reply.headers['trace-id']))).toMatchObject({
      operation: 'payCode',
      tenant_id: tenantId,
      actor: { type: 'anonymous', id: null },
      path: '/pay/{code}',
    })
  })

  test('may come with the user in a browser, whom the record names, and no response', async () => {
    const userId = randomUUID()
    respondWith(200, { ...headersOfPage, [recordedTenantHeader]: tenantId, [recordedUserHeader]: userId }, '')
    const reply = await pay('get', `/pay/${newCode()}`).set(recordedUserHeader, randomUUID()).expect(200)
    expect(reply.headers).not.toHaveProperty(recordedUserHeader)
    expect(received[0]?.headers).not.toHaveProperty(recordedUserHeader)
    const record = await world.findAuditRecord(String(reply.headers['trace-id']))
    expect(record).toMatchObject({ tenant_id: tenantId, actor: { type: 'user', id: userId }, client: 'console' })
  })

  test('is required beside a user', async () => {
    for (const headers of [
      { [recordedTenantHeader]: tenantId, [recordedUserHeader]: 'x' },
      { [recordedUserHeader]: tenantId },
    ]) {
      respondWith(200, { ...headersOfPage, ...headers }, '')
      const reply = await pay('get', `/pay/${newCode()}`).expect(200)
      const record = await world.findAuditRecord(String(reply.headers['trace-id']))
      expect(record).toMatchObject({ actor: { type: 'anonymous', id: null }, client: null })
    }
  })

  test('is not taken from a client, nor from a value that is no id, nor for a request with a credential', async () => {
    const sent = await pay('get', `/pay/${newCode()}`).set(recordedTenantHeader, tenantId).expect(200)
    expect(received[0]?.headers).not.toHaveProperty(recordedTenantHeader)
    expect(await world.findAuditRecord(String(sent.headers['trace-id']))).toMatchObject({ tenant_id: null })
    respondWith(200, { ...headersOfPage, [recordedTenantHeader]: 'x' }, '')
    const malformed = await pay('get', `/pay/${newCode()}`).expect(200)
    expect(await world.findAuditRecord(String(malformed.headers['trace-id']))).toMatchObject({ tenant_id: null })
    const tenant = await world.tenant()
    const named = { [recordedTenantHeader]: tenantId, [recordedUserHeader]: tenantId }
    respondWith(200, { 'content-type': 'application/json', ...named }, '{}')
    const traceId = randomUUID()
    const own = await world.send('get', '/v1/payment-proxy/transactions', { ...tenant.admin, traceId }).expect(200)
    expect(own.headers).not.toHaveProperty(recordedTenantHeader)
    expect(await world.findAuditRecord(traceId)).toMatchObject({ tenant_id: tenant.id, actor: { id: tenant.admin.id } })
  })
})

describe('in place of a problem, the gateway shows a page', () => {
  test.each([
    ['service_unavailable', 503],
    ['invalid_request', 400],
    ['raw_card_data_not_allowed', commonProblems.raw_card_data_not_allowed.status],
    ['internal_error', 500],
  ] as const)('for %s of the service', async (code, status) => {
    const body = JSON.stringify(new Problem(commonProblems[code], { detail: 'Internals' }).toBody(randomUUID()))
    respondWith(status, { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '7' }, body)
    const reply = await pay('get', `/pay/${newCode()}`)
    expectHtmlProblem(reply, status)
    expect(reply.headers['retry-after']).toBe('7')
    expect(reply.text).not.toContain('Internals')
    const record = await world.findAuditRecord(String(reply.headers['trace-id']))
    expect(record).toMatchObject({ operation: 'showPayPage', status, code, path: '/pay/{code}' })
  })

  test('when the service rejects the assertion, breaks off, or does not respond in time', async () => {
    respondWith(401, { 'content-type': 'application/problem+json' }, '{}')
    expectHtmlProblem(await pay('get', `/pay/${newCode()}`), 500)
    world.upstream.respond((incoming) => incoming.socket.destroy())
    expectHtmlProblem(await pay('get', `/pay/${newCode()}`), 503)
    const slow = await startWorld({
      alter: (deps) => ({ ...deps, forwarding: createForwarding(deps.forwarding.upstreams, 50) }),
    })
    slow.upstream.respond(() => {})
    expectHtmlProblem(await request(slow.url).get(`/pay/${newCode()}`), 504)
    await slow.stop()
  })

  test.each([
    ['put', newCode(), 405],
    ['options', newCode(), 405],
    ['get', `${newCode()}/`, 404],
    ['get', `${newCode()}/x`, 404],
    ['get', '', 404],
    ['get', `${newCode()}%00`, 400],
    ['get', `/${newCode()}`, 400],
  ] as const)('%s of another path or method', async (method, rest, status) => {
    const reply = await pay(method, `/pay/${rest}`)
    expectHtmlProblem(reply, status)
    expect(reply.headers['allow']).toBe(status === 405 ? 'GET, HEAD, POST' : undefined)
    expect(received).toEqual([])
  })

  test.each([
    ['?lang=de', 'fr', 'de', 'Diese Seite gibt es nicht'],
    ['?lang=xx', 'fr-CH, en;q=0.5', 'fr', 'Cette page n’existe pas'],
    ['', 'ja', 'ja', 'このページは存在しません'],
    ['?lang=pt', 'fr', 'pt-PT', 'Esta página não existe'],
    ['?lang=1', 'zh', 'en', 'There is no such page'],
  ])('in the language of the link, else of the browser: %p with %p', async (query, accepted, language, title) => {
    const reply = await pay('get', `/pay/${newCode()}/x${query}`).set('Accept-Language', accepted)
    expectHtmlProblem(reply, 404)
    expect(reply.text).toContain(`<html lang="${language}">`)
    expect(reply.text).toContain(`<h1>${title}</h1>`)
  })

  test('for a form of more than 64 KiB', async () => {
    const reply = await pay('post', `/pay/${newCode()}`)
      .type('form')
      .send(`a=${'b'.repeat(64 * 1024)}`)
    expectHtmlProblem(reply, 413)
    expect(received).toEqual([])
  })

  test('beyond the allowance of an address', async () => {
    const { url, stop } = await world.addGateway({ UNVERIFIED_REQUESTS_PER_MINUTE: String(perMinute) })
    for (let i = 0; i < perMinute; i += 1) await request(url).get(`/pay/${newCode()}`).expect(200)
    const reply = await request(url).get(`/pay/${newCode()}`)
    expectHtmlProblem(reply, 429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    await stop()
  })

  test('and a problem document at any other path', async () => {
    for (const path of ['/pay', '/payx/', '/v1/pay/']) {
      expect((await pay('get', path).expect(404)).body.code).toBe('route_not_found')
    }
  })
})

test('no code of a request is in an audit record or a log line', async () => {
  const codes: string[] = []
  const code = () => {
    codes.push(newCode())
    return String(codes.at(-1))
  }
  const from = world.lines.length
  const traceIds: string[] = []
  for (const path of [
    ...[`/pay/${code()}`, `/pay/${code()}?x=1`, `/pay/${code()}/`, `/pay/${code()}/x`, `/pay//${code()}`],
    ...[`//pay/${code()}`, `/PAY/${code()}`, `/p%61y/${code()}`, `/pay%2F${code()}`, `/pay%2f${code()}`],
    ...[`/v1/../pay/${code()}`, `/pay/${code()}%zz`, `/pay/${code()}%00`, `/pay?${code()}`],
  ]) {
    for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'DELETE']) {
      const traceId = randomUUID()
      traceIds.push(traceId)
      await sendRaw(
        world.port,
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nTrace-ID: ${traceId}\r\nConnection: close\r\n\r\n`,
      )
    }
  }
  for (const target of [`http://a/pay/${code()}`, `\\pay\\${code()}`, `/pay/${code()}#x`]) {
    await sendRaw(world.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  }
  await sendRaw(world.port, `CONNECT /pay/${code()} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await until(() => {
    const recorded = new Set(auditIn(world.auditDirectory).map(({ trace_id }) => trace_id))
    return traceIds.every((traceId) => recorded.has(traceId)) || undefined
  })
  await until(() => {
    const logged = new Set(world.lines.slice(from).map((line) => line['trace_id']))
    return traceIds.every((traceId) => logged.has(traceId)) || undefined
  })
  const bytes = readdirSync(world.auditDirectory).map((name) =>
    readFileSync(join(world.auditDirectory, name), 'latin1'),
  )
  const written = [...bytes, JSON.stringify(world.lines)].join('\n')
  expect(codes.filter((one) => written.includes(one))).toEqual([])
  expect(written).toContain('/pay/{code}')
})
