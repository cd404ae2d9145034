import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startWorld, type TestTenant, type World } from './world.ts'

let world: World
let tenant: TestTenant
beforeAll(async () => {
  world = await startWorld()
  tenant = await world.tenant()
})
afterAll(() => world.stop())

/** Headers that differ between two equal requests. */
const ownHeaders = ['date', 'trace-id', 'ratelimit']

async function compare(path: string, credential = tenant.admin) {
  const traceId = randomUUID()
  const get = await world.send('get', path, credential).set('Accept-Encoding', 'identity')
  const head = await world.send('head', path, { ...credential, traceId }).set('Accept-Encoding', 'identity')
  for (const name of ownHeaders) expect([name, name in head.headers]).toEqual([name, name in get.headers])
  const readHeaders = ({ headers }: { headers: Record<string, string> }) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.includes(name)))
  expect([head.status, readHeaders(head)]).toEqual([get.status, readHeaders(get)])
  expect(Number(head.headers['content-length'])).toBe(Buffer.byteLength(get.text))
  expect(head.text ?? '').toBe('')
  return { get, head, record: await world.findAuditRecord(traceId) }
}

test('a HEAD has the status and headers of the GET, Content-Length included, and no body', async () => {
  const { head, record } = await compare(`/v1/api-key/keys/${tenant.admin.id}`)
  expect(head.status).toBe(200)
  expect(record).toMatchObject({ method: 'HEAD', operation: 'readKey', permission: 'apikey:ReadKey', status: 200 })
})

test('a HEAD needs the permission of the GET', async () => {
  const { head, record } = await compare('/v1/api-key/keys', await tenant.keyWith(['audit:ReadRecord']))
  expect(head.status).toBe(403)
  expect(record).toMatchObject({ method: 'HEAD', operation: 'listKeys', outcome: 'denied', code: 'permission_denied' })
})

test('the audit record of a HEAD has the code of a problem of the service', async () => {
  const { record } = await compare(`/v1/api-key/keys/${randomUUID()}`)
  expect(record).toMatchObject({ method: 'HEAD', status: 404, code: 'key_not_found' })
})

test('a HEAD of a reveal counts as a reveal, and returns no byte of the secret', async () => {
  const { id } = await tenant.keyWith(['apikey:ReadKey'])
  const actor = (await world.tenant()).admin
  const own = `/v1/api-key/keys/${actor.id}/reveal`
  const statuses: number[] = []
  for (let i = 0; i < 6; i += 1) {
    const reply = await world.send('head', own, actor)
    expect(reply.text ?? '').toBe('')
    statuses.push(reply.status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  expect((await world.send('head', `/v1/api-key/keys/${id}/reveal`, await tenant.keyWith([]))).status).toBe(403)
})

test('a HEAD of a path without GET is 405', async () => {
  const reply = await world.send('head', `/v1/api-key/keys/${randomUUID()}/rotate`, tenant.admin)
  expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST'])
})

test('health and pages respond to HEAD', async () => {
  for (const path of ['/healthz', '/readyz', '/docs', '/v1/openapi.json']) await compare(path)
})
