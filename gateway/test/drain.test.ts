import { Agent, type IncomingMessage, request } from 'node:http'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { stopServer } from '@payments/chassis/process/serve'
import { path, readBytes } from './forwarding.ts'
import { credentialHeaders, startWorld, until, type World } from './world.ts'

let world: World
let agent: Agent
beforeEach(async () => {
  world = await startWorld()
  agent = new Agent({ keepAlive: true })
})
afterEach(async () => {
  agent.destroy()
  await world.stop()
})

function get(target: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(`${world.url}${target}`, { headers, agent }, resolve).on('error', reject).end()
  })
}

test('a forwarded response has the Date of the gateway, and the connection stays open', async () => {
  const { admin } = await world.tenant()
  world.upstream.respond((_request, response) => {
    response.writeHead(200, { Date: 'Thu, 01 Jan 1970 00:00:00 GMT', Connection: 'close' }).end('{}')
  })
  const reply = await get(path, credentialHeaders(admin))
  await readBytes(reply)
  expect(Math.abs(Date.parse(String(reply.headers.date)) - Date.now())).toBeLessThan(60_000)
  expect(reply.headers.connection).toBe('keep-alive')
})

test('while the gateway drains, each forwarded response has Connection: close, and its connection ends', async () => {
  const { admin } = await world.tenant()
  const finish: (() => void)[] = []
  world.upstream.respond((_request, response) => void finish.push(() => response.end('{}')))
  const forwarded = get(path, credentialHeaders(admin))
  const streamed = get(`${path}/1`, credentialHeaders(admin))
  await until(() => (finish.length === 2 ? true : undefined))
  const stopped = stopServer(world.server, 20_000)
  for (const each of finish) each()
  for (const reply of await Promise.all([forwarded, streamed])) {
    await readBytes(reply)
    expect([reply.statusCode, reply.headers.connection]).toEqual([200, 'close'])
    expect(reply.headers.date).toBeDefined()
  }
  await stopped
})

test('while the gateway drains, a rejection has Connection: close', async () => {
  const held: (() => void)[] = []
  const own = await startWorld({
    alter: (deps) => ({
      ...deps,
      resolver: {
        ...deps.resolver,
        resolve: () => new Promise((resolve) => void held.push(() => resolve(undefined))),
      },
    }),
  })
  const rejected = new Promise<IncomingMessage>((resolve, reject) => {
    const headers = credentialHeaders({ bearer: 'x' })
    request(`${own.url}${path}`, { headers, agent }, resolve).on('error', reject).end()
  })
  await until(() => (held.length === 1 ? true : undefined))
  const stopped = stopServer(own.server, 20_000)
  held[0]?.()
  const reply = await rejected
  await readBytes(reply)
  expect([reply.statusCode, reply.headers.connection]).toEqual([401, 'close'])
  await stopped
  await own.stop()
})
