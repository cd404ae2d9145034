import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import request from 'supertest'
import { path } from './forwarding.ts'
import { sendRaw, startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
let forwarded: string[]
beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
  world.upstream.respond((incoming, response) => {
    forwarded.push(String(incoming.headers['internal-assertion']))
    response.end('{}')
  })
})
afterAll(() => world.stop())

const parentId = '00f067aa0ba902b7'
const newTraceId = () => randomUUID().replaceAll('-', '')
const toUuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** A request without Trace-ID. */
function send(headers: Record<string, string>) {
  forwarded = []
  const { bearer, tenantId } = tenant.admin
  return request(world.url)
    .get(path)
    .set({ Authorization: `Bearer ${bearer}`, 'Tenant-ID': String(tenantId), ...headers })
}

/** The claim that the service reads. */
function assertedTraceId(): unknown {
  const [, claims = ''] = forwarded[0]?.split('.') ?? []
  return JSON.parse(Buffer.from(claims, 'base64url').toString())['trace_id']
}

test.each([
  ['of version 00', '00', ''],
  ['of a later version with further fields', '01', '-extra'],
])(
  'a traceparent %s takes the place of a Trace-ID, in response, audit record and assertion',
  async (_, version, more) => {
    const hex = newTraceId()
    const reply = await send({ traceparent: `${version}-${hex}-${parentId}-01${more}` }).expect(200)
    expect([reply.headers['trace-id'], assertedTraceId()]).toEqual([toUuid(hex), toUuid(hex)])
    expect(await world.findAuditRecord(toUuid(hex))).toMatchObject({ status: 200, path })
  },
)

test.each([
  ['valid', `00-${newTraceId()}-${parentId}-01`],
  ['malformed', 'nonsense'],
])('beside a Trace-ID, a %s traceparent is ignored', async (_, traceparent) => {
  const traceId = randomUUID()
  const reply = await send({ 'Trace-ID': traceId, traceparent }).expect(200)
  expect([reply.headers['trace-id'], assertedTraceId()]).toEqual([traceId, traceId])
})

test('a malformed Trace-ID is rejected although a traceparent is valid', async () => {
  const reply = await send({ 'Trace-ID': 'x', traceparent: `00-${newTraceId()}-${parentId}-01` }).expect(400)
  expect(reply.body.errors).toEqual([{ pointer: '/headers/Trace-ID', detail: 'must be a UUID' }])
})

test.each([
  ['is no traceparent', 'nonsense'],
  ['has upper case', `00-${newTraceId().replace(/^./, 'A')}-${parentId}-01`],
  ['has a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
  ['has a parent id of zeros', `00-${newTraceId()}-${'0'.repeat(16)}-01`],
  ['has the version ff', `ff-${newTraceId()}-${parentId}-01`],
  ['has further fields in version 00', `00-${newTraceId()}-${parentId}-01-extra`],
  ['is cut off', `00-${newTraceId()}-${parentId}`],
])('without a Trace-ID, a traceparent that %s is 400 and named', async (_, traceparent) => {
  const reply = await send({ traceparent }).expect(400)
  expect([reply.body.code, reply.body.errors, forwarded]).toEqual([
    'invalid_header',
    [{ pointer: '/headers/traceparent', detail: 'must be one traceparent of W3C Trace Context' }],
    [],
  ])
})

test('without a Trace-ID, a repeated traceparent is 400 and named', async () => {
  const { bearer, tenantId } = tenant.admin
  const one = `traceparent: 00-${newTraceId()}-${parentId}-01\r\n`
  const reply = await sendRaw(
    world.port,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${bearer}\r\n` +
      `Tenant-ID: ${tenantId}\r\n${one}${one}\r\n`,
  )
  expect(reply).toMatch(/^HTTP\/1\.1 400 /)
  expect(reply).toContain('"pointer":"/headers/traceparent"')
})
