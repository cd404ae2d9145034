import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { auditIn, type Credential, startWorld, type TestTenant, type World } from './world.ts'

/**
 * Each reveal has an audit record on the disk before its response, granted or denied. The contracts give the list.
 */
const reveals = contracts.flatMap(({ endpoints }) =>
  Object.entries(endpoints)
    .filter(([, { reveals: shows }]) => shows === true)
    .map(([operation, { path, permission }]) => ({ operation, path, permission })),
)

let world: World
let tenant: TestTenant
let appended: { record: AuditRecord; isDurable: boolean }[]

beforeAll(async () => {
  world = await startWorld({
    alter: (deps) => {
      const append: typeof deps.audit.append = (record, isDurable, done) => {
        appended.push({ record, isDurable })
        deps.audit.append(record, isDurable, done)
      }
      return { ...deps, audit: { ...deps.audit, append } }
    },
  })
  appended = []
  tenant = await world.tenant()
  world.upstream.respond((_request, response) => void response.end('{}'))
})
beforeEach(() => {
  appended = []
})
afterAll(() => world.stop())

async function findRecord(path: string, credential: Credential) {
  const traceId = randomUUID()
  const target = path.replaceAll(/\{\w+\}/g, () => randomUUID())
  const { status } = await world.send('get', target, { ...credential, traceId })
  // The file immediately after the response was read, without waiting.
  const [stored, ...others] = auditIn(world.auditDirectory).filter((record) => record.trace_id === traceId)
  expect(others).toEqual([])
  const isDurable = appended.find(({ record }) => record.trace_id === traceId)?.isDurable
  return { status, isDurable, ...(stored ?? ({} as Partial<AuditRecord>)), path: stored?.path === target }
}

describe.each(reveals)('$operation', ({ operation, path, permission }) => {
  test('has one record on the disk before its response: granted, denied, and without a valid credential', async () => {
    const able = await tenant.keyWith(permission === undefined ? [] : [permission])
    const unable = await tenant.keyWith(['apikey:ReadKey'])
    const [granted, denied, strange] = [
      await findRecord(path, able),
      await findRecord(path, unable),
      await findRecord(path, { bearer: 'guess' }),
    ]
    const common = { isDurable: true, operation, permission, path: true }
    // The key does not exist. A server that responds 200 replaces webhooks.
    const status = operation === 'revealKey' ? 404 : 200
    const by = (id: string) => ({ actor: { type: 'api_key', id }, tenant_id: tenant.id })
    expect(granted).toMatchObject({ ...common, ...by(able.id), status })
    expect(denied).toMatchObject({ ...common, ...by(unable.id), status: 403, outcome: 'denied' })
    expect(strange).toMatchObject({ ...common, actor: { type: 'anonymous' }, status: 401, outcome: 'denied' })
  })
})

test('the contracts have reveals', () => {
  expect(reveals.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['revealKey', 'revealSubscription', 'revealSubscriptions', 'revealAuthInfo']),
  )
})
