import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endedCredentialHeader } from '@payments/chassis/base/ended-credential'
import { begin, echoRequests, path, readBytes, sha256, startForwardingWorld } from './forwarding.ts'
import { credentialHeaders, sendRaw, startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant
let other: TestTenant

beforeAll(async () => {
  world = await startForwardingWorld(20_000)
  tenant = await world.tenant()
  other = await world.tenant()
})
afterAll(() => world.stop())

describe('the request to the service', () => {
  test('has the assertion and an allow-list of headers, nothing else of the client', async () => {
    const received = echoRequests(world)
    const traceId = randomUUID()
    await world
      .send('post', `${path}?a=1`, { ...tenant.admin, traceId })
      .set({ Cookie: 'a=b', 'X-Anything': 'y', 'Idempotency-Key': 'k-1', Accept: 'application/json', TE: 'trailers' })
      .send({ a: 1 })
      .expect(200)
    const names = received[0]?.headers.filter((_value, i) => i % 2 === 0).map((name) => name.toLowerCase())
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
    expect(received[0]?.caller).toMatchObject({
      issuer: 'gateway',
      tenantId: tenant.id,
      actor: { type: 'api_key', id: tenant.admin.id },
      traceId,
    })
    expect(received[0]?.caller?.permissions).toContain('transaction:CreateTransaction')
    expect(received[0]?.headers.join()).not.toContain(tenant.admin.bearer)
  })

  test('never mixes two interleaved callers', async () => {
    const received = echoRequests(world)
    const callers = [tenant.admin, other.admin, { bearer: 'anonymous' }]
    const traceIds: string[] = Array.from({ length: 60 }, () => randomUUID())
    const replies = await Promise.all(
      traceIds.map((traceId, i) =>
        world.send('get', path, { bearer: '', ...callers[i % 3], traceId }).set(`X-Of-${i % 3}`, 'mine'),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(traceIds.map((_traceId, i) => (i % 3 === 2 ? 401 : 200)))
    expect(received).toHaveLength(40)
    for (const { headers, caller } of received) {
      const i = traceIds.indexOf(caller?.traceId ?? '')
      expect(caller?.tenantId).toBe([tenant.id, other.id][i % 3])
      expect(headers.filter((name) => name.startsWith('X-Of'))).toEqual([])
    }
  })

  test('reuses connections', async () => {
    const sockets = new Set<Socket>()
    world.upstream.respond((incoming, response) => {
      sockets.add(incoming.socket)
      response.end('{}')
    })
    for (let i = 0; i < 10; i += 1) await world.send('get', path, tenant.admin).expect(200)
    expect(sockets.size).toBe(1)
  })

  test('has the body byte for byte: big integers, spaces, an unfinished string', async () => {
    echoRequests(world)
    for (const text of [
      '1',
      '{"amount": 12345678901234567890, "x":1.0}',
      '{ "a":"\\ud800" }',
      '{"unfinished',
      '\u0000é',
    ]) {
      const body = Buffer.from(text)
      const reply = await world.send('post', path, tenant.admin).type('application/json').send(text).expect(200)
      expect(reply.body).toEqual({ sha256: sha256(body), bytes: body.length })
    }
  })

  test('is sent after its whole body was received: 256 KiB, and a slow body', async () => {
    echoRequests(world)
    const body = randomBytes(256 * 1024)
    const { sent, responded } = begin(world, tenant, 'POST', {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    })
    sent.end(body)
    expect(JSON.parse((await readBytes(await responded)).toString())).toEqual({
      sha256: sha256(body),
      bytes: body.length,
    })

    const heard: string[] = []
    world.upstream.respond((incoming, response) => {
      heard.push('the request')
      incoming.resume().on('end', () => response.end('{}'))
    })
    for (const headers of [{ 'Content-Length': 10 }, { 'Transfer-Encoding': 'chunked' }]) {
      heard.length = 0
      const slow = begin(world, tenant, 'POST', headers)
      slow.sent.write('first')
      await world.send('get', path, tenant.admin).expect(200)
      heard.push('the last byte')
      slow.sent.end('final')
      expect((await slow.responded).statusCode).toBe(200)
      expect(heard).toEqual(['the request', 'the last byte', 'the request'])
    }
  })

  test('has the same form for a chunked body and for no body', async () => {
    echoRequests(world)
    const body = randomBytes(200_000)
    const chunked = begin(world, tenant, 'POST', { 'Transfer-Encoding': 'chunked' })
    for (let at = 0; at < body.length; at += 50_000) chunked.sent.write(body.subarray(at, at + 50_000))
    chunked.sent.end()
    expect(JSON.parse((await readBytes(await chunked.responded)).toString()).sha256).toBe(sha256(body))
    for (const headers of [{ 'Content-Length': 0 }, { 'Transfer-Encoding': 'chunked' }]) {
      const none = begin(world, tenant, 'POST', headers)
      none.sent.end()
      expect(JSON.parse((await readBytes(await none.responded)).toString()).bytes).toBe(0)
    }
    const raw = ['POST', path, 'HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'].join(' ')
    const headers = Object.entries(credentialHeaders(tenant.admin)).map(([name, value]) => `${name}: ${value}\r\n`)
    expect(await sendRaw(world.port, `${raw}${headers.join('')}\r\n`)).toMatch(/"bytes":0/)
  })
})

describe('the response to the client', () => {
  test('has status, body and an allow-list of headers', async () => {
    world.upstream.respond((_incoming, response) => {
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

  test('has the body byte for byte, with and without Content-Length', async () => {
    const everyByte = Buffer.from(Array.from({ length: 1024 }, (_, i) => i % 256))
    for (const announced of [{ 'Content-Length': everyByte.length }, {}]) {
      world.upstream.respond((_incoming, response) => response.writeHead(200, announced).end(everyByte))
      const { sent, responded } = begin(world, tenant, 'GET', {})
      sent.end()
      expect(await readBytes(await responded)).toEqual(everyByte)
    }
  })

  test('is the final response, not an interim one', async () => {
    world.upstream.respond((_incoming, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(201).end('{}'))
    })
    const reply = await world.send('post', path, tenant.admin).send({})
    expect([reply.status, reply.text]).toEqual([201, '{}'])
  })

  test('stays in the service while the client does not read', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const chunks = 64
    let written = 0
    world.upstream.respond(async (_incoming, response) => {
      for (; written < chunks; written += 1) if (!response.write(chunk)) await once(response, 'drain')
      response.end()
    })
    const { sent, responded } = begin(world, tenant, 'GET', {})
    sent.end()
    const reply = await responded
    let before = 0
    let unchanged = 0
    await until(() => {
      unchanged = written > 0 && written === before ? unchanged + 1 : 0
      before = written
      return unchanged === 40 ? true : undefined
    })
    expect(written).toBeLessThan(chunks / 2)
    expect((await readBytes(reply)).length).toBe(chunks * chunk.length)
  })

  test('is streamed: the client receives the first part before the service sends the last', async () => {
    let finish: (() => void) | undefined
    world.upstream.respond((_incoming, response) => {
      response.write('first')
      finish = () => response.end('last')
    })
    const { sent, responded } = begin(world, tenant, 'GET', {})
    sent.end()
    const reply = await responded
    const first = await new Promise<Buffer>((resolve) => reply.once('data', resolve))
    // Except one byte, which waits for the audit record at the end of the response.
    expect(first.toString()).toBe('firs')
    finish?.()
    expect((await readBytes(reply)).toString()).toBe('tlast')
  })

  test("leaves the client's connection open, regardless of the connection of the service", async () => {
    world.upstream.respond((_incoming, response) => {
      response.writeHead(200, { Connection: 'close' }).end('{}')
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sockets = new Set<unknown>()
    for (let i = 0; i < 3; i += 1) {
      const { sent, responded } = begin(world, tenant, 'GET', {}, agent)
      sent.end()
      const reply = await responded
      sockets.add(sent.socket)
      await readBytes(reply)
    }
    expect(sockets.size).toBe(1)
    agent.destroy()
  })

  test('is 500 when the service rejects the assertion, not an error of the caller', async () => {
    world.upstream.respond((_incoming, response) => {
      response.writeHead(401, { 'Content-Type': 'application/problem+json' }).end('{"code":"invalid_credentials"}')
    })
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([500, 'internal_error'])
    expect(reply.headers['trace-id']).toBe(reply.body.trace_id)
  })

  test('is 401 when the credential ended after its authentication, which counts as no guess', async () => {
    const strict = await startWorld({ env: { FAILED_AUTHENTICATIONS_PER_MINUTE: '2' } })
    try {
      const { id, admin } = await strict.tenant()
      const ended = { 'Content-Type': 'application/problem+json', [endedCredentialHeader]: 'true' }
      strict.upstream.respond((_incoming, response) =>
        response.writeHead(401, ended).end('{"detail":"of the service"}'),
      )
      for (let count = 0; count < 5; count += 1) {
        const { status, body, headers } = await strict.send('get', path, admin)
        expect([status, body.code, headers['www-authenticate']]).toEqual([401, 'invalid_credentials', 'Bearer'])
        expect([body.detail, headers[endedCredentialHeader]]).toEqual([expect.not.stringMatching('service'), undefined])
        const record = await strict.findAuditRecord(body.trace_id)
        expect(record).toMatchObject({ outcome: 'denied', status: 401, code: 'invalid_credentials', tenant_id: id })
      }
      expect((await strict.send('get', path, { ...admin, bearer: 'guess' })).status).toBe(401)
    } finally {
      await strict.stop()
    }
  })
})
