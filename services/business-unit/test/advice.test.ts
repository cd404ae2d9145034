import { afterAll, beforeAll } from '@jest/globals'
import {
  businessUnitsMax,
  paymentOrchestratorsMax,
  problems,
  storedPaymentOrchestratorsMax,
} from '@payments/contracts/services/business-unit/contract'
import { adviceSuite } from '@payments/testing/suites/advice'
import { created, draftUnit, sandbox, startWorld, type TestUnit, units, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** Stores payment orchestrators of the unit, and returns the path of one. */
async function store({ tenantId, unit, orchestrators }: TestUnit, status: 'active' | 'deleted', count: number) {
  const [one] = await world.rows<{ id: string }>(
    `INSERT INTO payment_orchestrators
       (id, tenant_id, business_unit_id, name, payment_gateway, mode, is_default, status, settings, updated_at)
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'stored', 'sandbox', 'test', false,
       $3::text::"PaymentOrchestratorStatus", '{}', now() FROM generate_series(1, $4::int) RETURNING id::text`,
    tenantId,
    unit.id,
    status,
    count,
  )
  return `${orchestrators}/${one?.id}`
}

/** A unit whose default payment orchestrator cannot be set inactive. */
async function unitWithDefault() {
  const of = await world.unit()
  const path = `${of.orchestrators}/${(await created(of, sandbox())).id}`
  return { of, path, deactivate: () => of.tenant.patch(path, { status: 'inactive' }) }
}

adviceSuite(problems, [
  {
    problem: 'business_unit_name_taken',
    advice: 'choose another name',
    given: async () => {
      const { tenant, unit } = await world.unit()
      return {
        rejected: () => tenant.post(units, draftUnit({ name: unit.name })),
        advised: () => tenant.post(units, draftUnit()),
      }
    },
  },
  {
    problem: 'too_many_business_units',
    advice: 'delete an unused one',
    given: async () => {
      const { tenant, tenantId, path } = await world.unit()
      await world.rows(
        `INSERT INTO business_units (id, tenant_id, name, name_key, timezone_name, branding, communication, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'stored ' || n, 'stored ' || n, 'UTC', '{}', '{}', now()
         FROM generate_series(2, $2::int) AS n RETURNING id`,
        tenantId,
        businessUnitsMax,
      )
      const create = () => tenant.post(units, draftUnit())
      const advised = async () => {
        await tenant.delete(path).expect(204)
        return create()
      }
      return { rejected: create, advised }
    },
  },
  {
    problem: 'too_many_payment_orchestrators',
    advice: 'delete an unused one',
    given: async () => {
      const of = await world.unit()
      const unused = await store(of, 'active', paymentOrchestratorsMax)
      const create = () => of.tenant.post(of.orchestrators, sandbox())
      const advised = async () => {
        await of.tenant.delete(unused).expect(204)
        return create()
      }
      return { rejected: create, advised }
    },
  },
  {
    problem: 'too_many_payment_orchestrators',
    advice: 'create another business unit',
    given: async () => {
      const of = await world.unit()
      await store(of, 'deleted', storedPaymentOrchestratorsMax)
      const advised = async () => {
        const { body } = await of.tenant.post(units, draftUnit()).expect(201)
        return of.tenant.post(`${units}/${body.id}/payment-orchestrators`, sandbox())
      }
      return { rejected: () => of.tenant.post(of.orchestrators, sandbox()), advised }
    },
  },
  {
    problem: 'payment_orchestrator_deleted',
    advice: 'create another one',
    given: async () => {
      const { of, path } = await unitWithDefault()
      await of.tenant.delete(path).expect(204)
      return {
        rejected: () => of.tenant.patch(path, { name: 'Bank' }),
        advised: () => of.tenant.post(of.orchestrators, sandbox({ name: 'Bank' })),
      }
    },
  },
  {
    problem: 'last_default_orchestrator',
    advice: 'make another payment orchestrator the default first',
    given: async () => {
      const { of, deactivate } = await unitWithDefault()
      const { id } = await created(of, sandbox())
      const advised = async () => {
        await of.tenant.patch(`${of.orchestrators}/${id}`, { is_default: true }).expect(200)
        return deactivate()
      }
      return { rejected: deactivate, advised }
    },
  },
  {
    problem: 'last_default_orchestrator',
    advice: 'delete this one',
    given: async () => {
      const { of, path, deactivate } = await unitWithDefault()
      return { rejected: deactivate, advised: () => of.tenant.delete(path) }
    },
  },
])
