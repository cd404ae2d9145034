import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { createBodyTurns } from '../src/request/body-turns.ts'

const large = JSON.stringify('x'.repeat(20_000))
let server: Server
afterEach(() => void server.close())

/** A service whose check of a body waits until `finish` is called. Records the tenants in the order of their turns. */
async function startService() {
  const turns = createBodyTurns()
  const began: string[] = []
  const checks: (() => void)[] = []
  const app = express()
  app.use((request, response, next) => {
    response.locals.assertion = {
      tenantId: String(request.headers['x-tenant']),
      actor: { type: 'api_key', id: 'one' },
    } as never
    next()
  })
  app.post('/', turns.take, express.json({ limit: '1mb', strict: false }), (request, response) => {
    began.push(String(request.headers['x-tenant']))
    checks.push(() => {
      turns.end(response)
      response.end()
    })
  })
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const send = (tenant: string, body = large, signal?: AbortSignal) => {
    const headers = { 'content-type': 'application/json', 'x-tenant': tenant }
    return fetch(url, { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) })
  }
  const untilBegan = async (count: number) => {
    while (began.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { port: (server.address() as AddressInfo).port, send, began, checks, untilBegan }
}

test('one large body is checked at a time, in turns of the tenants, and small ones do not wait', async () => {
  const { send, began, checks, untilBegan } = await startService()
  const replies = [send('a'), send('a'), send('a')]
  await untilBegan(1)
  replies.push(send('b'), send('small', '1'))
  await untilBegan(2)
  expect(began).toEqual(['a', 'small'])
  checks.pop()?.()
  for (let count = 3; count <= 5; count += 1) {
    checks.pop()?.()
    await untilBegan(count)
    expect(checks).toHaveLength(1)
  }
  checks.pop()?.()
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(Array(5).fill(200))
  expect(began.slice(2).indexOf('b')).toBeLessThan(2)
})

test('a request that leaves while it waits, or after its turn began, blocks no other', async () => {
  const { send, began, checks, untilBegan } = await startService()
  const leaving = [new AbortController(), new AbortController()]
  const left = leaving.map(({ signal }) => send('a', large, signal).catch(() => undefined))
  await untilBegan(1)
  for (const one of leaving) one.abort()
  await Promise.all(left)
  const reply = send('b')
  while (!began.includes('b')) await new Promise((resolve) => setImmediate(resolve))
  checks.at(-1)?.()
  expect((await reply).status).toBe(200)
})

test('a body that does not arrive keeps its turn for a second only', async () => {
  const { port, send, checks, untilBegan } = await startService()
  const stalled = connect(port, '127.0.0.1')
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nx-tenant: a\r\nContent-Type: application/json\r\n'
  await new Promise((resolve) => stalled.write(`${head}Content-Length: 20000\r\n\r\n"x`, resolve))
  const reply = send('b')
  await untilBegan(1)
  checks.at(-1)?.()
  expect((await reply).status).toBe(200)
  stalled.destroy()
})
