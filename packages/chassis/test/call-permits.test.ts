import { randomUUID } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from '@jest/globals'
import { contract } from '@payments/contracts/grammar/contract'
import { Problem } from '@payments/contracts/grammar/problem'
import { z } from 'zod'
import { client } from '../src/client/client.ts'
import { listen, stopServer } from '../src/process/serve.ts'
import { context, keys } from './world.ts'

const reading = { method: 'GET', audience: 'internal', callers: ['reader'], summary: 'Count the books.' } as const
const replies = { 200: z.object({ books: z.int() }) }
const shelves = contract({
  service: 'library',
  description: 'A service with shelves of tenants.',
  problems: {},
  events: {},
  endpoints: {
    countBooks: {
      ...reading,
      path: '/internal/tenants/{tenant_id}/count',
      params: z.strictObject({ tenant_id: z.string() }),
      replies,
    },
    count: { ...reading, path: '/internal/count', replies },
    recount: { ...reading, path: '/internal/recount', replies },
  },
})

let server: Server
afterEach(() => stopServer(server, 0))

/** A service that holds the requests of `held` until `respond`, and responds to all others at once. */
async function startSlow({ held, timeoutMs }: { held: string; timeoutMs: number }) {
  const waiting: ServerResponse[] = []
  let isHolding = true
  const reply = (response: ServerResponse) => response.setHeader('Content-Type', 'application/json').end('{"books":7}')
  server = createServer((request, response) => {
    if (isHolding && request.url?.includes(held) === true) waiting.push(response)
    else reply(response)
  })
  const baseUrl = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const calls = client(shelves, { self: 'reader', baseUrl, keys, timeoutMs })
  return {
    waiting,
    countBooks: (tenantId: string) => calls.countBooks(context(), { params: { tenant_id: tenantId } }),
    count: () => calls.count(context(), {}),
    recount: () => calls.recount(context(), {}),
    respond: () => {
      isHolding = false
      for (const response of waiting) reply(response)
    },
  }
}

test('a tenant whose calls are slow leaves connections for other tenants, and for calls that name none', async () => {
  const slow = randomUUID()
  const service = await startSlow({ held: slow, timeoutMs: 30_000 })
  const stuck = Array.from({ length: 200 }, () => service.countBooks(slow))
  for (let turn = 0; turn < 20; turn += 1) expect(await service.countBooks(randomUUID())).toEqual({ books: 7 })
  expect(await service.count()).toEqual({ books: 7 })
  expect(service.waiting).toHaveLength(48)
  service.respond()
  expect(await Promise.all(stuck)).toHaveLength(200)
}, 60_000)

test('the calls of an endpoint that names no tenant leave connections for tenants and other endpoints', async () => {
  const service = await startSlow({ held: '/internal/count', timeoutMs: 30_000 })
  const stuck = Array.from({ length: 200 }, () => service.count())
  for (let turn = 0; turn < 20; turn += 1) expect(await service.recount()).toEqual({ books: 7 })
  expect(await service.countBooks(randomUUID())).toEqual({ books: 7 })
  service.respond()
  await Promise.all(stuck)
}, 60_000)

test('a call without a connection in time is service_unavailable with Retry-After, and is not sent', async () => {
  const slow = randomUUID()
  const service = await startSlow({ held: slow, timeoutMs: 500 })
  const outcomes = await Promise.all(Array.from({ length: 60 }, () => service.countBooks(slow).catch((error) => error)))
  expect(service.waiting.length).toBeLessThan(60)
  for (const outcome of outcomes) {
    expect(outcome).toBeInstanceOf(Problem)
    expect(outcome).toMatchObject({ code: 'service_unavailable', options: { retryAfterSeconds: 1 } })
  }
}, 60_000)
