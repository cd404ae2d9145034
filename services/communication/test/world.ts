import { randomUUID } from 'node:crypto'
import type { ClaimLoop } from '@payments/chassis/process/claim-loop'
import type { BusinessUnit, FoundUnit } from '@payments/contracts/services/business-unit/contract'
import { type Communication, communicationContract } from '@payments/contracts/services/communication/contract'
import { createBusinessUnitCopies } from '@payments/service/business-units/copies'
import { quarantineWithoutBroker } from '@payments/testing/broker/quarantine'
import { buildUnit, businessUnitPeer } from '@payments/testing/peers/business-units'
import { payerHashKeysOfTest } from '@payments/testing/services/payer-hash-keys'
import { serviceWorld } from '@payments/testing/services/service-world'
import { createApp } from '../src/app.ts'
import { startDeliveryLoop } from '../src/delivery/loop.ts'
import { countDeliveryAttempts } from '../src/delivery/metrics.ts'
import { communicationQueue } from '../src/delivery/queues.ts'
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
const anyRate = {
  perTenantAndMinute: 100_000,
  perTenantRecipientAndHour: 100_000,
  shareOfTenantAndHour: 0,
  perRecipientAndHour: 100_000,
}

/** A real communication on a private database, with a peer in place of business-unit. */
export async function startWorld(options: WorldOptions = {}) {
  const { showsOutbox = true, log } = options
  const service = await serviceWorld(communicationContract, openDatabase, { log })
  const { db } = service
  const units = new Map<string, FoundUnit>()
  const peer = await businessUnitPeer('communication', async (tenantId, unitId) => {
    const found = units.get(unitId)
    return found?.tenant_id === tenantId ? found : null
  })
  const provider = options.provider ?? createOutbox(db)
  const loops: ClaimLoop[] = []
  const clock = { offsetMs: 0 }
  const deps: Deps = {
    ...service.deps,
    businessUnits: createBusinessUnitCopies({ db, client: peer.client }),
    providers: { EMAIL: provider, SMS: provider },
    rates: { ...anyRate, ...options.rates },
    delivery: { wake: () => loops.forEach((loop) => loop.wake()) },
    showsOutbox,
    now: () => new Date(Date.now() + clock.offsetMs),
    payerHashKeys: payerHashKeysOfTest(),
    quarantine: quarantineWithoutBroker('communication.quarantine'),
  }
  const attempts = countDeliveryAttempts(deps.metrics.registry, deps.providers)
  const delivery = { ...deps, attempts, queue: communicationQueue }
  const app = createApp(deps)
  const { asTenant, asService, asOperator } = service.createCallers(app)
  return {
    ...service,
    app,
    deps,
    clock,
    attempts,
    /** The dependencies of the delivery of communications. */
    delivery,
    asTenant,
    asOperator: asOperator(),
    /** The process that sends invitations. */
    inviteToPay: () => asService('invite-to-pay'),
    identity: () => asService('identity'),
    /** A new tenant with a business unit. */
    tenant: () => {
      const tenantId = randomUUID()
      const calls = asTenant(tenantId)
      const addUnit = (changes: Partial<BusinessUnit> = {}): string => {
        const found = buildUnit({ tenantId, businessUnitId: randomUUID() })
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
        events: () => service.events<Record<string, never>>(tenantId),
      }
    },
    /** Starts a delivery loop. A process has one for each queue. */
    startLoop: (changes: Partial<Parameters<typeof startDeliveryLoop>[0]> = {}) => {
      const loop = startDeliveryLoop({ ...delivery, ...changes })
      loops.push(loop)
      return loop
    },
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()))
      await peer.stop()
      await service.stop()
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
export const plainEmail = { communication_type: 'EMAIL', recipient: 'payer@example.com', subject: 'Hi', text: 'Text' }
