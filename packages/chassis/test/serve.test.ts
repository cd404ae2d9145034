import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { createFastServer, listen, stopServer } from '../src/process/serve.ts'
import { startLibrary } from './world.ts'

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => stopServer(server, 0)))
})

test('creates requests and responses with the prototypes of Express', async () => {
  const app = express()
  const seen: boolean[] = []
  const server = createFastServer(app)
  server.prependListener('request', (request, response) => {
    seen.push(Object.getPrototypeOf(request) === app.request, Object.getPrototypeOf(response) === app.response)
  })
  app.get('/', (_request, response) => {
    response.json({})
  })
  servers.push(server)
  await (await fetch(`http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}/`)).text()
  expect(seen).toEqual([true, true])
})

test('serves an app like a plain server', async () => {
  const app = express()
  app.use(express.json())
  app.all('/things/:id', (request, response) => {
    response.status(201).set('X-Seen', request.get('x-given') ?? '')
    response.json({
      id: request.params['id'],
      query: request.query,
      body: request.body,
      ip: request.ip,
      path: request.path,
    })
  })
  const responses = []
  for (const server of [createFastServer(app), createServer(app)]) {
    servers.push(server)
    const port = await listen(server, { host: '127.0.0.1', port: 0 })
    const reply = await fetch(`http://127.0.0.1:${port}/things/a%20b?x=1&x=2`, {
      method: 'PUT',
      body: '{"n":[1]}',
      headers: { 'content-type': 'application/json', 'x-given': 'yes' },
    })
    responses.push([reply.status, reply.headers.get('x-seen'), reply.headers.get('content-type'), await reply.text()])
  }
  expect(responses[0]).toEqual(responses[1])
})

test('rejects if the port is taken', async () => {
  const { server, port } = await startLibrary()
  servers.push(server)
  const second = createFastServer(express())
  await expect(listen(second, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('rejects headers of more than 16 KiB', async () => {
  const { server, port } = await startLibrary()
  servers.push(server)
  const response = await new Promise<string>((resolve) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`),
    )
    let text = ''
    socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text))
  })
  expect(response).toMatch(/^HTTP\/1\.1 431 /)
})

test('stops when requests in progress have ended, and closes their connections at the end of the grace period', async () => {
  for (const graceMs of [60_000, 0]) {
    const app = express()
    const held: (() => void)[] = []
    app.get('/', (_request, response) => void held.push(() => response.send('done')))
    const server = createFastServer(app)
    const port = await listen(server, { host: '127.0.0.1', port: 0 })
    const arrived = once(server, 'request')
    const reply = fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.text(),
      () => 'cut off',
    )
    await arrived
    const stopped = stopServer(server, graceMs)
    if (graceMs > 0) held[0]?.()
    expect(await reply).toBe(graceMs > 0 ? 'done' : 'cut off')
    await stopped
  }
})

test('reports reasons in readiness, is alive regardless, and serves metrics', async () => {
  const { server, baseUrl } = await startLibrary()
  servers.push(server)
  const [ready, alive, metrics] = await Promise.all(
    ['/readyz', '/healthz', '/metrics'].map((path) => fetch(baseUrl + path)),
  )
  expect([ready?.status, await ready?.json()]).toEqual([
    503,
    {
      status: 'not_ready',
      reasons: { cellar: 'is flooded', catalogue: 'is unavailable' },
      degraded: { radio: 'is silent' },
    },
  ])
  expect(alive?.status).toBe(200)
  expect(await metrics?.text()).toContain('http_request_duration_seconds')
})
