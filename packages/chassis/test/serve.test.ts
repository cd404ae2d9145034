import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { createAppServer, listen, stopServer } from '../src/process/serve.ts'
import { startLibrary } from './world.ts'

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => stopServer(server, 0)))
})

test('rejects if the port is taken', async () => {
  const { server, port } = await startLibrary()
  servers.push(server)
  const second = createAppServer(express())
  await expect(listen(second, { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

// macOS divides connections among no sockets.
const isDivided = process.platform === 'linux'

test('accepts the connections of a burst in a few turns of the event loop', async () => {
  const server = createAppServer(express())
  servers.push(server)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const burst = 96
  let [accepted, turns] = [0, 0]
  server.on('connection', () => void (accepted += 1))
  const clients = Array.from({ length: burst }, () => connect(port, '127.0.0.1'))
  await Promise.all(clients.map((client) => once(client, 'connect')))
  while (accepted < burst) {
    turns += 1
    await new Promise(setImmediate)
  }
  for (const client of clients) client.destroy()
  expect(turns).toBeLessThan(isDivided ? burst / 2 : 2 * burst)
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
    const server = createAppServer(app)
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
