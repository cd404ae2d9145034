import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { answerWithWhatCame, begin, bytesOf, deadlineMs, path, startForwardingWorld } from './forwarding.ts'
import { startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant

beforeAll(async () => {
  world = await startForwardingWorld(deadlineMs)
  tenant = await world.tenant()
})
afterAll(() => world.stop())

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
    const { sent, answered } = begin(world, tenant, 'GET', {})
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
    const { sent, answered } = begin(world, tenant, 'GET', {})
    sent.end()
    await expect(answered.then(bytesOf)).rejects.toMatchObject({ code: 'ECONNRESET' })
    await until(() => ended || undefined)
  })

  test('and answers before it has the whole body: the client gets the answer', async () => {
    world.upstream.answer((_incoming, response) => void response.writeHead(422).end('{"code":"early"}'))
    const { sent, answered } = begin(world, tenant, 'POST', { 'Content-Length': 100_000 })
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
    const { sent, answered } = begin(world, tenant, 'POST', { 'Content-Length': 1000 })
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
    const { sent, answered } = begin(world, tenant, 'GET', { 'Trace-ID': traceId })
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
    const { sent, answered } = begin(world, tenant, 'POST', { 'Content-Length': 1000 })
    sent.write('the beginning')
    const reply = await answered
    expect([reply.statusCode, JSON.parse((await bytesOf(reply)).toString()).code]).toEqual([408, 'request_timeout'])
    await until(() => sent.socket?.destroyed || undefined)
  })
})

test('nothing is left open towards the service once all is over', async () => {
  answerWithWhatCame(world)
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
