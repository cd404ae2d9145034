import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startWorld, type TestTenant, type World } from './world.ts'

/**
 * Requests of two tenants with few keys, few bodies and every outcome. The first request with a key of a tenant decides
 * its fingerprint; a repetition has the same response and no effect; another request with the key is rejected.
 */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const sent = fc.record({
  tenant: fc.constantFrom(0, 1),
  key: fc.constantFrom('a', 'b'),
  verb: fc.constantFrom('create' as const, 'authorize' as const),
  token: fc.constantFrom('visa', 'declined', 'insufficient_funds'),
  amount: fc.constantFrom(100, 200),
  capture: fc.boolean(),
})
type Sent = typeof sent extends fc.Arbitrary<infer T> ? T : never

function send(tenant: TestTenant, { verb, token, amount, capture, key }: Sent) {
  const body = { amount, capture }
  return verb === 'create' ? tenant.create(body, key) : tenant.authorize(token, body, key)
}

const toFingerprint = ({ verb, token, amount, capture }: Sent) =>
  JSON.stringify([verb, verb === 'create' ? null : token, amount, capture])
const withoutTrace = (body: object) => ({ ...body, trace_id: undefined })

test('every mix of keys, requests and tenants: one effect per key, the same response, no effect on the other tenant', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { minLength: 2, maxLength: 8 }), async (requests) => {
      const tenants = [world.tenant(), world.tenant()]
      const first = new Map<string, { fingerprint: string; status: number; body: object }>()
      for (const one of requests) {
        const tenant = tenants[one.tenant] as TestTenant
        const place = `${one.tenant} ${one.key}`
        const known = first.get(place)
        const effects = known === undefined ? null : [await tenant.recorded(), await tenant.eventTypes()]
        const { status, body, headers } = await send(tenant, one)
        if (known === undefined) {
          expect([201, 402]).toContain(status)
          expect(headers['idempotent-replayed']).toBeUndefined()
          first.set(place, { fingerprint: toFingerprint(one), status, body })
          continue
        }
        expect([await tenant.recorded(), await tenant.eventTypes()]).toEqual(effects)
        if (known.fingerprint !== toFingerprint(one))
          expect([status, body.code]).toEqual([422, 'idempotency_key_reused'])
        else {
          expect([status, withoutTrace(body)]).toEqual([known.status, withoutTrace(known.body)])
          expect(headers['idempotent-replayed']).toBe('true')
        }
      }
      for (const [index, tenant] of tenants.entries()) {
        const keys = [...first.keys()].filter((place) => place.startsWith(`${index} `))
        expect((await tenant.eventTypes()).filter((type) => type === 'create')).toHaveLength(keys.length)
      }
    }),
    { numRuns: 25 },
  )
}, 120_000)
