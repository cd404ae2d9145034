import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { auditIn, credentialHeaders, startWorld, type TestTenant, until, type World } from './world.ts'

let world: World
let tenant: TestTenant
beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())

const malformed = 'GET /v1/behind HTTP/1.1\r\nBad Header: x\r\n\r\n'
const body = '{"amount":777}'

/** Sends a payment and bytes behind it. Its response begins once these are rejected. Resolves with all responses. */
async function pay(traceId: string, surplus: string, isLater: boolean): Promise<string> {
  let respond: (() => void) | undefined
  world.upstream.respond((request, response) => {
    const end = () => response.writeHead(201, { 'content-type': 'application/json' }).end('{"status":"captured"}')
    request.resume().on('end', () => {
      respond = end
    })
  })
  const headers = Object.entries({ ...credentialHeaders(tenant.admin), 'Trace-ID': traceId })
  const head = [
    'POST /v1/payment-proxy/transactions/authorize HTTP/1.1',
    'Host: a',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  const request = `${head.join('\r\n')}\r\n\r\n${body}`
  const rejected = auditIn(world.auditDirectory).filter(({ status }) => status === 400 || status === 405).length
  return new Promise((resolve, reject) => {
    let replies = ''
    const socket = connect(world.port, '127.0.0.1', async () => {
      socket.write(isLater ? request : request + surplus)
      await until(() => respond)
      if (isLater) socket.write(surplus)
      await until(
        () =>
          auditIn(world.auditDirectory).filter(({ status }) => status === 400 || status === 405).length > rejected ||
          undefined,
      )
      respond?.()
    })
    socket.on('data', (chunk) => (replies += chunk.toString('latin1')))
    socket.on('error', reject)
    socket.on('close', () => resolve(replies))
  })
}

test.each([
  ['a NUL', '\0'],
  ['the rest of a body that is longer than its Content-Length', '}'],
  ['a malformed request', malformed],
  ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('bytes after a whole request leave it its response, and close the connection: %s', async (_what, surplus) => {
  for (const isLater of [false, true]) {
    const traceId = randomUUID()
    const replies = await pay(traceId, surplus, isLater)
    expect(replies).toMatch(/^HTTP\/1\.1 201 /)
    expect(replies).toContain('{"status":"captured"}')
    expect(replies.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(await world.findAuditRecord(traceId)).toMatchObject({ status: 201 })
  }
})
