import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { problems } from '@payments/contracts/services/communication/contract'
import { templatesMax } from '@payments/contracts/services/communication/templates'
import { adviceSuite } from '@payments/testing/suites/advice'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { greeting, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const path = '/v1/communication/templates'

adviceSuite(problems, [
  {
    problem: 'built_in_template',
    advice: 'create a template instead',
    given: async () => {
      const tenant = world.tenant()
      return {
        rejected: () => tenant.patch(`${path}/${builtInTemplates[0]?.id}`, { name: greeting.name }),
        advised: () => tenant.post(path, greeting),
      }
    },
  },
  {
    problem: 'too_many_templates',
    advice: 'delete an unused one',
    given: async () => {
      const tenant = world.tenant()
      const [unused] = await world.rows<{ id: string }>(
        `INSERT INTO templates (id, tenant_id, communication_type, version, name, text, variables, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'SMS', 1, 'x', 'x', '[]', now() FROM generate_series(1, $2::int)
         RETURNING id::text`,
        tenant.id,
        templatesMax,
      )
      const create = () => tenant.post(path, greeting)
      const advised = async () => {
        await tenant.delete(`${path}/${unused?.id}`).expect(204)
        return create()
      }
      return { rejected: create, advised }
    },
  },
  {
    problem: 'payer_erasure_of_another_payer',
    advice: 'repeat it with the recipient of the first request',
    given: async () => {
      const [tenantId, id] = [randomUUID(), randomUUID()]
      const erase = (recipient: string) =>
        world.asOperator.post(`/internal/tenants/${tenantId}/payer-erasures`, {
          erasure_id: id,
          recipient,
          requested_by: 'ops',
        })
      await erase('ada@example.com').expect(202)
      return { rejected: () => erase('grace@example.com'), advised: () => erase('ada@example.com') }
    },
  },
])
