import { randomUUID } from 'node:crypto'
import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import type { EventMessage } from '@payments/contracts/grammar/event'
import {
  type BusinessUnit,
  businessUnitContract,
  type FoundUnit,
  type PaymentOrchestrator,
} from '@payments/contracts/services/business-unit/contract'
import { privateDatabase, testPool } from '@payments/testing/database/database'
import { buildUnit, businessUnitPeer, type GivenUnit } from '@payments/testing/peers/business-units'
import { openDatabase } from '../../../../services/webhooks/src/store/database.ts'
import { createBusinessUnitCopies } from '../../src/business-units/copies.ts'

/** The table of the copies in the database of webhooks, used by two processes, and a business-unit with given units. */
export async function startWorld() {
  const database = await privateDatabase('webhooks')
  const [one, other] = [openDatabase(database.url, testPool), openDatabase(database.url, testPool)]
  const units = new Map<string, FoundUnit>()
  let respond = (found: FoundUnit | null) => Promise.resolve(found)
  const peer = await businessUnitPeer('webhooks', async (tenantId, businessUnitId) => {
    const unit = units.get(businessUnitId)
    return respond(unit?.tenant_id === tenantId ? unit : null)
  })
  const unreachable = client(businessUnitContract, {
    self: 'webhooks',
    baseUrl: 'http://127.0.0.1:1',
    keys: new Map([['business-unit', peer.key]]),
    timeoutMs: 20_000,
  })
  return {
    copies: createBusinessUnitCopies({ db: one, client: peer.client }),
    /** Of another process. */
    others: createBusinessUnitCopies({ db: other, client: peer.client }),
    /** Of a process that cannot reach business-unit. */
    isolated: createBusinessUnitCopies({ db: one, client: unreachable }),
    calls: peer.calls,
    /** Gives business-unit a unit, or another state of one. */
    give: (given: Partial<GivenUnit> = {}) => {
      const unit = buildUnit({ tenantId: randomUUID(), businessUnitId: randomUUID(), ...given })
      units.set(unit.business_unit.id, unit)
      return { unit, id: unit.business_unit.id, context: { tenantId: unit.tenant_id, traceId: randomUUID() } }
    },
    /** Passes each later response of business-unit through `through`. */
    respondThrough: (through: typeof respond) => {
      respond = through
    },
    rows: (businessUnitId: string) =>
      one.acrossTenants((tx) => tx.businessUnitCopy.findMany({ where: { businessUnitId } })),
    stop: async () => {
      await peer.stop()
      await Promise.all([one.close(), other.close()])
      await database.drop()
    },
  }
}

export type World = Awaited<ReturnType<typeof startWorld>>

export function unitEvent(unit: FoundUnit, changed: Partial<BusinessUnit>): EventMessage {
  const payload = { business_unit: { ...unit.business_unit, ...changed } }
  return createEvent(unit, 'business-unit.business-units.update', payload)
}

export function orchestratorEvent(unit: FoundUnit, changed: Partial<PaymentOrchestrator>): EventMessage {
  const payload = { payment_orchestrator: { ...unit.payment_orchestrators[0], ...changed } }
  return createEvent(unit, 'business.unit.payment.orchestrator.update', payload)
}

export function createEvent(unit: FoundUnit, type: string, payload: Record<string, unknown>): EventMessage {
  return {
    id: newId(),
    type,
    tenant_id: unit.tenant_id,
    business_unit_id: null,
    trace_id: randomUUID(),
    occurred_at: new Date().toISOString(),
    payload,
  }
}
