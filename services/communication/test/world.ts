import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { createBusinessUnitCopies } from '@payments/business-unit-copies/copies'
import { createLog } from '@payments/chassis/observability/log'
import type { ClaimLoop } from '@payments/chassis/process/claim-loop'
import { createMetrics } from '@payments/chassis/process/metrics'
import { type Permission, permissionNames } from '@payments/contracts/grammar/permission'
import type { BusinessUnit, FoundUnit } from '@payments/contracts/services/business-unit/contract'
import { type Communication, communicationContract } from '@payments/contracts/services/communication/contract'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import { keysOfEveryProcess } from '@payments/testing/calls/edges'
import { signCall } from '@payments/testing/calls/signed-call'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { openConnections } from '@payments/testing/database/open-connections'
import { businessUnitPeer, unitOf } from '@payments/testing/peers/business-units'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { startDeliveryLoop } from '../src/delivery/loop.ts'
import { createDeliveryMetrics } from '../src/delivery/metrics.ts'
import type { Deps } from '../src/deps.ts'
import { createOutbox } from '../src/providers/outbox.ts'
import type { Provider } from '../src/providers/provider.ts'
import { openDatabase } from '../src/store/database.ts'

export interface WorldOptions {
  /** Default: the provider `outbox`. */
  readonly provider?: Provider
  readonly showsOutbox?: boolean
  readonly log?: Deps['log']
  readonly rates?: Partial<Deps['rates']>
}

/** Beyond the messages of any test that does not set a rate. */
const anyRate = { perTenantAndMinute: 100_000, perTenantRecipientAndHour: 100_000, perRecipientAndHour: 100_000 }

/** A real communication on a private database, with a peer in place of business-unit. */
export async function startWorld(options: WorldOptions = {}) {
  const { showsOutbox = true, log = createLog('communication', 'silent') } = options
  const database = await privateDatabase('communication')
  const db = openDatabase(database.url, testPool)
  const owner = openDatabase(database.ownerUrl, testPool)
  const units = new Map<string, FoundUnit>()
  const peer = await businessUnitPeer('communication', async (tenantId, unitId) => {
    const found = units.get(unitId)
    return found?.tenant_id === tenantId ? found : null
  })
  const edgeKey = createSecretKey(randomBytes(32))
  const provider = options.provider ?? createOutbox(db)
  const loops: ClaimLoop[] = []
  const clock = { offsetMs: 0 }
  const deps: Deps = {
    db,
    businessUnits: createBusinessUnitCopies({ db, client: peer.client }),
    providers: { EMAIL: provider, SMS: provider },
    rates: { ...anyRate, ...options.rates },
    delivery: { wake: () => loops.forEach((loop) => loop.wake()) },
    showsOutbox,
    now: () => new Date(Date.now() + clock.offsetMs),
    brokerCheck: async () => null,
    quarantine: quarantineWithoutBroker('communication.quarantine'),
    keys: keysOfEveryProcess(edgeKey),
    log,
    metrics: createMetrics('communication'),
  }
  const metrics = createDeliveryMetrics(deps.metrics.registry, deps.providers)
  const app = createApp(deps)
  await openConnections(db, 10)
  const rows = <R extends object = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
    owner.acrossTenants((tx) => tx.$queryRawUnsafe<R[]>(sql, ...values))

  const caller = (
    tenantId: string | null,
    permissions: readonly Permission[] = permissionNames,
    actor: { type: 'api_key' | 'service'; id: string } = { type: 'api_key', id: randomUUID() },
  ) => {
    const send = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object, headers = {}) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const claims = { tenantId, actor, permissions, traceId: randomUUID() }
      const call = { method: method.toUpperCase(), path, body: text }
      const assertion = signCall(communicationContract, edgeKey, claims, call)
      const sent = request(app)[method](path).set('Internal-Assertion', assertion).set(headers)
      return text === undefined ? sent : sent.type('application/json').send(text)
    }
    return {
      get: (path: string) => send('get', path),
      post: (path: string, body: object = {}, headers = {}) => send('post', path, body, headers),
      patch: (path: string, body: object) => send('patch', path, body),
      delete: (path: string) => send('delete', path),
    }
  }

  return {
    app,
    db,
    database,
    deps,
    edgeKey,
    rows,
    clock,
    metrics,
    caller,
    /** The process that sends invitations. */
    inviteToPay: () => caller(null, [], { type: 'service', id: 'invite-to-pay' }),
    /** A new tenant with a business unit. */
    tenant: () => {
      const tenantId = randomUUID()
      const calls = caller(tenantId)
      const addUnit = (changes: Partial<BusinessUnit> = {}): string => {
        const found = unitOf({ tenantId, businessUnitId: randomUUID() })
        units.set(found.business_unit.id, { ...found, business_unit: { ...found.business_unit, ...changes } })
        return found.business_unit.id
      }
      const unitId = addUnit()
      const messagesPath = '/v1/communication/communications'
      return {
        id: tenantId,
        unitId,
        addUnit,
        ...calls,
        template: (body: object = {}) =>
          calls.post('/v1/communication/templates', { ...greeting, ...body }).expect(201),
        send: (body: object = {}, headers = {}) =>
          calls.post(messagesPath, { ...plainEmail, business_unit_id: unitId, ...body }, headers),
        read: async (id: string) => (await calls.get(`${messagesPath}/${id}`).expect(200)).body as Communication,
        outbox: async () => (await calls.get('/v1/communication/outbox').expect(200)).body.data,
        events: () =>
          rows<{ type: string; payload: Record<string, never>; business_unit_id: string | null; trace_id: string }>(
            `SELECT type, payload, business_unit_id::text, trace_id::text FROM outbox_events
             WHERE tenant_id = $1::uuid ORDER BY sequence`,
            tenantId,
          ),
      }
    },
    /** Starts a delivery loop, as each process has one. */
    startLoop: (changes: Partial<Parameters<typeof startDeliveryLoop>[0]> = {}) => {
      const loop = startDeliveryLoop({ ...deps, metrics, ...changes })
      loops.push(loop)
      return loop
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await peer.stop()
      await Promise.all([db.close(), owner.close()])
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** Bodies of valid requests. */
export const greeting = {
  name: 'Greeting',
  communication_type: 'EMAIL',
  subject: 'Hello {{name}}',
  text: 'Dear {{name}}, welcome.',
  html: '<p>Dear {{name}}, <b>welcome</b>.</p>',
  variables: [{ name: 'name' }],
}
const plainEmail = { communication_type: 'EMAIL', recipient: 'payer@example.com', subject: 'Hi', text: 'Text' }

/** Waits until the condition holds, with a deadline. */
export async function until(condition: () => Promise<boolean> | boolean, timeoutMs = 30_000): Promise<void> {
  const deadlineAt = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadlineAt) throw new Error(`not within ${timeoutMs} ms: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
