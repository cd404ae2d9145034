import { request } from 'node:http'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'

let endpoint: Receiver

beforeEach(async () => {
  endpoint = await receiver()
})
afterEach(() => endpoint.close())

function post(body: Buffer | string, path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent: false, headers: { 'webhook-id': 'one' } }
    const sent = request(new URL(path, endpoint.url), options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

it('records the bytes and headers of every request, and responds with 200', async () => {
  const bytes = Buffer.from([0, 255, 123, 10])
  expect(await post(bytes, '/hook?x=1')).toBe(200)
  const [one] = await endpoint.waitFor(() => true)
  expect(one).toMatchObject({ method: 'POST', path: '/hook?x=1', body: bytes })
  expect(one?.headers['webhook-id']).toBe('one')
})

it('responds as set, request by request', async () => {
  const statuses = [500, 429, 204]
  endpoint.respondWith(() => ({ status: statuses.shift() ?? 200, headers: { 'retry-after': '1' } }))
  expect([await post('a'), await post('b'), await post('c'), await post('d')]).toEqual([500, 429, 204, 200])
})

it('lets a responder break the connection', async () => {
  endpoint.respondWith((_, response) => void response.destroy())
  await expect(post('a')).rejects.toThrow()
  expect(endpoint.received).toHaveLength(1)
})

it('waits for a number of matching requests, and names at its deadline what arrived instead', async () => {
  const waiting = endpoint.waitFor(({ body }) => body.toString() === 'b', { count: 2 })
  for (const body of ['a', 'b', 'b']) await post(body)
  expect(await waiting).toHaveLength(2)
  await expect(endpoint.waitFor(({ path }) => path === '/never', { timeoutMs: 30 })).rejects.toThrow(
    /Expected 1 fitting requests within 30 ms and got 0. All 3, the last ten:\nPOST \/ a/,
  )
})
