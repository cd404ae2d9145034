import { randomUUID } from 'node:crypto'
import { type ClientRequest, type RequestListener, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { closeForwarding } from '../src/pipeline/forward.ts'
import { begin, countConnections, deadlineMs, path, readBytes, startForwardingWorld } from './forwarding.ts'
import { auditIn, type Credential, credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startForwardingWorld(deadlineMs)
  tenant = await world.tenant()
})
afterAll(() => world.stop())

describe('when the service fails', () => {
  test('because it cannot be reached: 503 with Retry-After', async () => {
    const lonely = await startWorld()
    try {
      const { admin } = await lonely.tenant()
      await lonely.upstream.stop()
      const reply = await lonely.send('post', path, admin).send({})
      expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'service_unavailable', '1'])
      expect(reply.text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/)
    } finally {
      await lonely.stop()
    }
  })

  test('before its response: 503, which states that the request may have taken effect', async () => {
    world.upstream.respond((incoming) => incoming.socket.destroy())
    const reply = await world.send('post', path, tenant.admin).send({})
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
    expect(reply.body.detail).toContain('may have taken effect')
  })

  test('before its response to a GET, which changes nothing: the 503 does not state an effect', async () => {
    world.upstream.respond((incoming) => incoming.socket.destroy())
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
    expect(reply.body.detail).toBe('The connection to the service broke off before its response')
  })

  test('because it sends no HTTP: 503', async () => {
    world.upstream.respond((incoming) => incoming.socket.end('SSH-2.0-nonsense\r\n\r\n'))
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([503, 'service_unavailable'])
  })

  test.each([
    ['of announced length', { 'Content-Length': '1000' }],
    ['in chunks', {}],
  ])('within a body %s: the client is disconnected immediately', async (_name, headers) => {
    world.upstream.respond((incoming, response) => {
      response.writeHead(200, headers)
      response.write('the beginning')
      setImmediate(() => incoming.socket.destroy())
    })
    const { sent, responded } = begin(world, tenant, 'GET', {})
    sent.end()
    const startedAt = performance.now()
    await expect(responded.then(readBytes)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(performance.now() - startedAt).toBeLessThan(deadlineMs)
  })

  test('to respond: 504 at the deadline, and the call is ended', async () => {
    let ended = false
    world.upstream.respond((incoming) => void incoming.socket.once('close', () => (ended = true)))
    const reply = await world.send('post', path, tenant.admin).send({})
    expect([reply.status, reply.body.code]).toEqual([504, 'upstream_timeout'])
    expect(reply.body.detail).toContain('may have taken effect')
    await until(() => ended || undefined)
  })

  test('to respond to a GET, which changes nothing: the 504 does not state an effect', async () => {
    world.upstream.respond(() => 'no response')
    const reply = await world.send('get', path, tenant.admin)
    expect([reply.status, reply.body.code]).toEqual([504, 'upstream_timeout'])
    expect(reply.body.detail).toBe('The service did not complete its response in time')
  })

  test('to finish its body: client and service are disconnected at the deadline', async () => {
    let ended = false
    world.upstream.respond((incoming, response) => {
      incoming.socket.once('close', () => (ended = true))
      response.write('the beginning')
    })
    const { sent, responded } = begin(world, tenant, 'GET', {})
    sent.end()
    await expect(responded.then(readBytes)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await until(() => ended || undefined)
  })
})

describe('when the client', () => {
  /** Holds each response until the test releases it. */
  const holding = () => {
    const held: { release: () => void; isClosed: () => boolean }[] = []
    world.upstream.respond((incoming, response) => {
      let isClosed = false
      incoming.socket.once('close', () => (isClosed = true))
      incoming.resume().on('end', () => {
        const problem = { 'Content-Type': 'application/problem+json' }
        const release = () => response.writeHead(409, problem).end('{"code":"transaction_state_conflict"}')
        held.push({ release, isClosed: () => isClosed })
      })
    })
    return held
  }
  const gone = { code: 'client_closed_request', status: 499, outcome: 'rejected', client_gone: true }

  test('leaves within its body, the service gets no request, and the audit record has client_gone', async () => {
    const held = holding()
    const traceId = randomUUID()
    const { sent, responded } = begin(world, tenant, 'POST', { 'Content-Length': 1000, 'Trace-ID': traceId })
    responded.catch(() => 'expected: the test closes the connection')
    await new Promise<void>((resolve) => sent.write('the beginning', () => resolve()))
    await until(() => world.reading() > 0 || undefined)
    sent.destroy()
    expect(await world.findAuditRecord(traceId)).toMatchObject(gone)
    expect([held.length, world.reading()]).toEqual([0, 0])
  })

  test.each([
    ['POST', { 'Content-Length': 2 }, '{}'],
    ['GET', {}, ''],
  ])(
    'leaves after its %s is complete, the call continues, and the status and code of the service are recorded',
    async (method, headers, body) => {
      const held = holding()
      const traceId = randomUUID()
      const { sent, responded } = begin(world, tenant, method, { ...headers, 'Trace-ID': traceId })
      responded.catch(() => 'expected: the test closes the connection')
      sent.end(body)
      const call = await until(() => held[0])
      await leave(sent)
      expect(call.isClosed()).toBe(false)
      expect(auditIn(world.auditDirectory).filter((record) => record.trace_id === traceId)).toEqual([])
      call.release()
      expect(await world.findAuditRecord(traceId)).toMatchObject({
        status: 409,
        code: 'transaction_state_conflict',
        outcome: 'rejected',
        client_gone: true,
        actor: { type: 'api_key', id: tenant.admin.id },
      })
    },
  )

  test('leaves within the response, the status of the service is recorded', async () => {
    const traceId = randomUUID()
    const last: (() => void)[] = []
    world.upstream.respond((_incoming, response) => {
      response.write('the beginning')
      last.push(() => response.end('the end'))
    })
    const { sent, responded } = begin(world, tenant, 'GET', { 'Trace-ID': traceId })
    sent.end()
    const reply = await responded
    reply.on('error', () => 'expected: the test closes the connection').resume()
    await leave(sent)
    last[0]?.()
    expect(await world.findAuditRecord(traceId)).toMatchObject({ status: 200, outcome: 'success', client_gone: true })
  })

  test('leaves and the service does not respond, 504 is recorded at the deadline, and the call is ended', async () => {
    const held = holding()
    const traceId = randomUUID()
    const { sent, responded } = begin(world, tenant, 'GET', { 'Trace-ID': traceId })
    responded.catch(() => 'expected: the test closes the connection')
    sent.end()
    const call = await until(() => held[0])
    sent.destroy()
    expect(await world.findAuditRecord(traceId)).toMatchObject({
      status: 504,
      code: 'upstream_timeout',
      client_gone: true,
    })
    await until(() => call.isClosed() || undefined)
  })

  test('stays but the service breaks off, the audit record does not have client_gone', async () => {
    const traceId = randomUUID()
    world.upstream.respond((incoming, response) => {
      response.write('the beginning')
      setImmediate(() => incoming.socket.destroy())
    })
    const { sent, responded } = begin(world, tenant, 'GET', { 'Trace-ID': traceId })
    sent.end()
    await expect(responded.then(readBytes)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(await world.findAuditRecord(traceId)).toMatchObject({ status: 200, client_gone: false })
  })
})

test('no connection or call to the service remains, regardless of how requests ended', async () => {
  const own = await startForwardingWorld(deadlineMs)
  try {
    const { admin } = await own.tenant()
    const endings: RequestListener[] = [
      (_incoming, response) => void response.end('{}'),
      (incoming) => void incoming.socket.destroy(),
      (_incoming, response) => void response.write('the beginning'),
      () => 'no response',
    ]
    let calls = 0
    const seen = new Set<string>()
    own.upstream.respond((incoming, response) => {
      seen.add(String(incoming.url))
      endings[calls++ % endings.length]?.(incoming, response)
    })
    const ends = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0 ? own.send('get', path, admin) : leaving(own, admin, seen),
    )
    await Promise.allSettled(ends)
    await until(() => (calls === ends.length ? true : undefined))
    // Leaves an idle connection: the connections of other requests may have been idle for too long.
    await own.send('get', path, admin).expect(200)
    await until(() => (own.forwarding.calls.size === 0 ? true : undefined))
    const { agent } = own.forwarding
    expect([Object.keys(agent.sockets), Object.keys(agent.requests)]).toEqual([[], []])
    expect(await countConnections(own.upstream.server)).toBeGreaterThan(0)
    await closeForwarding(own.forwarding, 2_000)
    await until(async () => ((await countConnections(own.upstream.server)) === 0 ? true : undefined))
  } finally {
    await own.stop()
  }
})

/** Sends a request and leaves after the service received it. */
async function leaving(own: World, credential: Credential, seen: ReadonlySet<string>): Promise<void> {
  const target = `${path}/${randomUUID()}`
  const sent = request(`${own.url}${target}`, { headers: credentialHeaders(credential), agent: false })
  sent.on('error', () => 'expected: the test closes the connection').end()
  await until(() => seen.has(target) || undefined)
  sent.destroy()
}

/** Closes the client's connection, and waits until the gateway has noticed. */
async function leave(sent: ClientRequest): Promise<void> {
  const before = await countConnections(world.server)
  sent.destroy()
  await until(async () => ((await countConnections(world.server)) < before ? true : undefined))
}
