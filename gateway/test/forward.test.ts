import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyAssertion } from '@payments/chassis/assertion'
import { createForwarding } from '../src/pipeline/forward.ts'
import { headersOf, sendRaw, startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant
let other: TestTenant

const deadlineMs = 400

beforeAll(async () => {
  world = await startWorld({
    alter: (deps) => ({ ...deps, forwarding: createForwarding(deps.forwarding.upstreams, deadlineMs) }),
  })
  tenant = await world.tenant()
  other = await world.tenant()
})
afterAll(() => world.stop())

const path = '/v1/payment-proxy/transactions'

function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => resolve(Buffer.concat(chunks)))
    stream.on('error', reject)
  })
}

/** Answers with a digest of the body and with who it came from. */
function answerWithWhatCame(): { headers: string[]; caller: ReturnType<typeof callerIn> }[] {
  const came: { headers: string[]; caller: ReturnType<typeof callerIn> }[] = []
  world.upstream.answer(async (incoming, response) => {
    came.push({ headers: incoming.rawHeaders, caller: callerIn(incoming) })
    const body = await bytesOf(incoming)
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ sha256: createHash('sha256').update(body).digest('hex'), bytes: body.length }))
  })
  return came
}

/** What a service makes of the assertion, with the service's own code. */
function callerIn(incoming: IncomingMessage) {
  const key = world.edges.get('payment-proxy')
  if (key === undefined) throw new Error('no edge')
  const request = { method: incoming.method ?? '', path: incoming.url ?? '' }
  return verifyAssertion(
    String(incoming.headers['internal-assertion']),
    'payment-proxy',
    new Map([['gateway', key]]),
    request,
  )
}

/** A request whose every step is in the test's hands. */
function begin(method: string, headers: OutgoingHttpHeaders, agent?: Agent) {
  const sent = httpRequest(`${world.url}${path}`, {
    method,
    headers: { ...headersOf(tenant.admin), ...headers },
    agent,
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  return { sent, answered }
}

const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')

describe('what goes up', () => {
  test('is the assertion and an allow-list of headers, nothing else of the client', async () => {
    const came = answerWithWhatCame()
    const traceId = randomUUID()
    await world
      .send('post', `${path}?a=1`, { ...tenant.admin, traceId })
      .set({ Cookie: 'a=b', 'X-Anything': 'y', 'Idempotency-Key': 'k-1', Accept: 'application/json', TE: 'trailers' })
      .send({ a: 1 })
      .expect(200)
    const names = came[0]?.headers.filter((_value, i) => i % 2 === 0).map((name) => name.toLowerCase())
    expect(names?.sort()).toEqual(
      [
        'accept',
        'connection',
        'content-length',
        'content-type',
        'host',
        'idempotency-key',
        'internal-assertion',
      ].sort(),
    )
    expect(came[0]?.caller).toMatchObject({
      issuer: 'gateway',
      tenantId: tenant.id,
      actor: { type: 'api_key', id: tenant.admin.id },
      traceId,
    })
    expect(came[0]?.caller?.permissions).toContain('transaction:CreateTransaction')
    expect(came[0]?.headers.join()).not.toContain(tenant.admin.bearer)
  })

  test('of two interleaved callers is never mixed: each request carries its own caller, or none gets through', async () => {
    const came = answerWithWhatCame()
    const callers = [tenant.admin, other.admin, { bearer: 'anonymous' }]
    const traceIds: string[] = Array.from({ length: 60 }, () => randomUUID())
    const replies = await Promise.all(
      traceIds.map((traceId, i) =>
        world.send('get', path, { bearer: '', ...callers[i % 3], traceId }).set(`X-Of-${i % 3}`, 'mine'),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(traceIds.map((_traceId, i) => (i % 3 === 2 ? 401 : 200)))
    expect(came).toHaveLength(40)
    for (const { headers, caller } of came) {
      const i = traceIds.indexOf(caller?.traceId ?? '')
      expect(caller?.tenantId).toBe([tenant.id, other.id][i % 3])
      expect(headers.filter((name) => name.startsWith('X-Of'))).toEqual([])
    }
  })

  test('travels over connections that are kept', async () => {
    const sockets = new Set<Socket>()
    world.upstream.answer((incoming, response) => {
      sockets.add(incoming.socket)
      response.end('{}')
    })
    for (let i = 0; i < 10; i += 1) await world.send('get', path, tenant.admin).expect(200)
    expect(sockets.size).toBe(1)
  })

  test('is the body byte for byte: big integers, spaces, an unfinished string', async () => {
    answerWithWhatCame()
    for (const text of ['{"amount": 12345678901234567890, "x":1.0}', '{ "a":"\\ud800" }', '{"unfinished', '\u0000é']) {
      const body = Buffer.from(text)
      const reply = await world.send('post', path, tenant.admin).type('application/json').send(text).expect(200)
      expect(reply.body).toEqual({ sha256: sha256(body), bytes: body.length })
    }
  })

  test('is streamed: 256 KiB whole, and the first part before the last is sent', async () => {
    answerWithWhatCame()
    const body = randomBytes(256 * 1024)
    const { sent, answered } = begin('POST', { 'Content-Type': 'application/json', 'Content-Length': body.length })
    sent.end(body)
    expect(JSON.parse((await bytesOf(await answered)).toString())).toEqual({ sha256: sha256(body), bytes: body.length })

    let first: Buffer | undefined
    world.upstream.answer((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => (first ??= chunk))
      incoming.on('end', () => response.end('{}'))
    })
    const slow = begin('POST', { 'Content-Length': 10 })
    slow.sent.write('first')
    expect((await until(() => first)).toString()).toBe('first')
    slow.sent.end('final')
    expect((await slow.answered).statusCode).toBe(200)
  })

  test('is the same when it comes in chunks or not at all', async () => {
    answerWithWhatCame()
    const body = randomBytes(200_000)
    const chunked = begin('POST', { 'Transfer-Encoding': 'chunked' })
    for (let at = 0; at < body.length; at += 50_000) chunked.sent.write(body.subarray(at, at + 50_000))
    chunked.sent.end()
    expect(JSON.parse((await bytesOf(await chunked.answered)).toString()).sha256).toBe(sha256(body))
    for (const headers of [{ 'Content-Length': 0 }, { 'Transfer-Encoding': 'chunked' }]) {
      const none = begin('POST', headers)
      none.sent.end()
      expect(JSON.parse((await bytesOf(await none.answered)).toString()).bytes).toBe(0)
    }
    const raw = ['POST', path, 'HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'].join(' ')
    const headers = Object.entries(headersOf(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    expect(await sendRaw(world.port, `${raw}${headers.join('')}\r\n`)).toMatch(/"bytes":0/)
  })
})

describe('what comes down', () => {
  test('is status, body and an allow-list of headers', async () => {
    world.upstream.answer((_incoming, response) => {
      response.writeHead(201, {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        Location: '/v1/x',
        'Idempotent-Replayed': 'true',
        'Trace-ID': 'of the service',
        Server: 'service/1',
        'X-Powered-By': 'Express',
        'Keep-Alive': 'timeout=1',
        'Proxy-Authenticate': 'Basic',
        Connection: 'X-Hop',
        'X-Hop': '1',
        'Access-Control-Allow-Origin': '*',
      })
      response.end('{"a":12345678901234567890}')
    })
    const traceId = randomUUID()
    const reply = await world.send('post', path, { ...tenant.admin, traceId }).send({})
    expect(reply.status).toBe(201)
    expect(reply.text).toBe('{"a":12345678901234567890}')
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      location: '/v1/x',
      'idempotent-replayed': 'true',
      'trace-id': traceId,
    })
    const hidden = ['server', 'x-powered-by', 'proxy-authenticate', 'x-hop', 'access-control-allow-origin']
    expect(hidden.filter((name) => name in reply.headers)).toEqual([])
    expect(reply.headers['connection']).not.toBe('X-Hop')
  })

  test('keeps two cookies two', async () => {
    world.upstream.answer((_incoming, response) => {
      response.setHeader('Set-Cookie', ['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'])
      response.end('{}')
    })
    const reply = await world.send('get', path, tenant.admin)
    expect(reply.headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'])
  })

  test('is streamed: the client has the first part before the service sends the last', async () => {
    let finish: (() => void) | undefined
    world.upstream.answer((_incoming, response) => {
      response.write('first')
      finish = () => response.end('last')
    })
    const { sent, answered } = begin('GET', {})
    sent.end()
    const reply = await answered
    const first = await new Promise<Buffer>((resolve) => reply.once('data', resolve))
    // But for one byte, which waits for the audit record that is made at the end.
    expect(first.toString()).toBe('firs')
    finish?.()
    expect((await bytesOf(reply)).toString()).toBe('tlast')
  })

  test('the connection of the client is kept whatever the service does with its own', async () => {
    world.upstream.answer((_incoming, response) => {
      response.writeHead(200, { Connection: 'close' }).end('{}')
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sockets = new Set<unknown>()
    for (let i = 0; i < 3; i += 1) {
      const { sent, answered } = begin('GET', {}, agent)
      sent.end()
      const reply = await answered
      sockets.add(sent.socket)
      await bytesOf(reply)
    }
    expect(sockets.size).toBe(1)
    agent.destroy()
  })

  test('as a refusal of the assertion is our fault, and not told as the fault of the caller', async () => {
    world.upstream.answer((_incoming, response) => {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end('{"code":"invalid_credentials"}')
    })
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
    expect(reply.headers['trace-id']).toBe(reply.body.trace_id)
  })
})

describe('when the service fails', () => {
  test('and cannot be reached: 503 with Retry-After', async () => {
    const lonely = await startWorld()
    const { admin } = await lonely.tenant()
    await lonely.upstream.stop()
    const reply = await lonely.send('post', path, admin).send({})
    expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'service_unavailable', '1'])
    expect(reply.text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/)
    await lonely.stop()
  })

  test('and dies before it answers: 503 that says what is not known', async () => {
    world.upstream.answer((incoming) => incoming.socket.destroy())
    const reply = await world.send('post', path, tenant.admin).send({})
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
    expect(reply.body.detail).toContain('may have taken effect')
  })

  test('and speaks no HTTP: 503', async () => {
    world.upstream.answer((incoming) => incoming.socket.end('SSH-2.0-nonsense\r\n\r\n'))
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
  })

  test.each([
    ['of announced length', { 'Content-Length': '1000' }],
    ['in chunks', {}],
  ])('and dies in mid-body %s: the client is cut off at once, not left waiting', async (_name, headers) => {
    world.upstream.answer((incoming, response) => {
      response.writeHead(200, headers)
      response.write('the beginning')
      setImmediate(() => incoming.socket.destroy())
    })
    const { sent, answered } = begin('GET', {})
    sent.end()
    const startedAt = performance.now()
    await expect(answered.then(bytesOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(performance.now() - startedAt).toBeLessThan(deadlineMs)
  })

  test('and does not answer: 504 at the deadline, and its request is ended', async () => {
    let ended = false
    world.upstream.answer((incoming) => void incoming.socket.once('close', () => (ended = true)))
    const reply = await world.send('post', path, tenant.admin).send({})
    expect([reply.status, reply.body.code]).toEqual([504, 'upstream_timeout'])
    await until(() => ended || undefined)
  })

  test('and stops in mid-body: both are ended at the deadline', async () => {
    let ended = false
    world.upstream.answer((incoming, response) => {
      incoming.socket.once('close', () => (ended = true))
      response.write('the beginning')
    })
    const { sent, answered } = begin('GET', {})
    sent.end()
    await expect(answered.then(bytesOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await until(() => ended || undefined)
  })

  test('and answers before it has the whole body: the client gets the answer', async () => {
    world.upstream.answer((_incoming, response) => void response.writeHead(422).end('{"code":"early"}'))
    const { sent, answered } = begin('POST', { 'Content-Length': 100_000 })
    sent.write(Buffer.alloc(1000))
    const reply = await answered
    expect([reply.statusCode, (await bytesOf(reply)).toString()]).toEqual([422, '{"code":"early"}'])
    sent.destroy()
  })
})

describe('when the client', () => {
  test('leaves in mid-request, the request to the service is ended', async () => {
    let ended = false
    let begun = false
    world.upstream.answer((incoming) => {
      incoming.once('data', () => (begun = true))
      incoming.socket.once('close', () => (ended = true))
    })
    const { sent, answered } = begin('POST', { 'Content-Length': 1000 })
    answered.catch(() => 'expected: we hang up ourselves')
    sent.write('the beginning')
    await until(() => begun || undefined)
    sent.destroy()
    await until(() => ended || undefined)
  })

  test('leaves before the answer, the request to the service is ended and recorded as given up', async () => {
    let ended = false
    let begun = false
    world.upstream.answer((incoming) => {
      begun = true
      incoming.socket.once('close', () => (ended = true))
    })
    const traceId = randomUUID()
    const { sent, answered } = begin('GET', { 'Trace-ID': traceId })
    answered.catch(() => 'expected: we hang up ourselves')
    sent.end()
    await until(() => begun || undefined)
    sent.destroy()
    await until(() => ended || undefined)
    expect(await world.auditOf(traceId)).toMatchObject({
      status: 499,
      code: 'client_closed_request',
      outcome: 'rejected',
    })
  })

  test('does not finish its body: 408 at the deadline, and the connection is ended', async () => {
    world.upstream.answer((incoming) => void incoming.resume())
    const { sent, answered } = begin('POST', { 'Content-Length': 1000 })
    sent.write('the beginning')
    const reply = await answered
    expect([reply.statusCode, JSON.parse((await bytesOf(reply)).toString()).code]).toEqual([408, 'request_timeout'])
    await until(() => sent.socket?.destroyed || undefined)
  })
})

test('nothing is left open towards the service once all is over', async () => {
  answerWithWhatCame()
  await Promise.all(Array.from({ length: 20 }, () => world.send('get', path, tenant.admin)))
  const open = () =>
    new Promise<number>((resolve, reject) =>
      world.upstream.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  await until(async () => {
    world.upstream.server.closeIdleConnections()
    return (await open()) === 0 ? true : undefined
  })
})
