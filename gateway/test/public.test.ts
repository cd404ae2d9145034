import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { echoRequests, sha256 } from './forwarding.ts'
import { startWorld, type World } from './world.ts'

const webhookPath = (id: string = randomUUID()) => `/v1/payment-proxy/gateway-webhooks/${id}`
const perMinute = 5

let world: World
beforeAll(async () => {
  world = await startWorld({ env: { PROVIDER_WEBHOOKS_PER_MINUTE: String(perMinute) } })
})
afterAll(() => world.stop())

describe('a public endpoint', () => {
  test('forwards bytes and signature headers of anyone as anonymous, up to the allowance of the address', async () => {
    const received = echoRequests(world)
    const body = Buffer.from('{"unfinished')
    const send = () =>
      request(world.url)
        .post(webhookPath())
        .set({ 'Stripe-Signature': 't=1,v1=ab', 'X-Anything': 'y', Authorization: 'Bearer anything' })
        .set('Content-Type', 'application/json')
        .send(body.toString())
    const first = await send()
    expect([first.status, first.body]).toEqual([200, { sha256: sha256(body), bytes: body.length }])
    const names = received[0]?.headers.filter((_value, i) => i % 2 === 0).map((name) => name.toLowerCase())
    expect(names).toContain('stripe-signature')
    for (const dropped of ['authorization', 'x-anything']) expect(names).not.toContain(dropped)
    expect(received[0]?.caller).toMatchObject({
      tenantId: null,
      actor: { type: 'anonymous' },
      permissions: [],
      traceId: first.headers['trace-id'],
    })
    const record = await world.findAuditRecord(String(first.headers['trace-id']))
    expect(record).toMatchObject({
      tenant_id: null,
      actor: { type: 'anonymous' },
      operation: 'receiveProviderWebhook',
      status: 200,
    })
    for (let i = 1; i < perMinute; i += 1) expect((await send()).status).toBe(200)
    const rejected = await send()
    expect([rejected.status, rejected.body.code]).toEqual([429, 'rate_limited'])
    expect(received).toHaveLength(perMinute)
  })
})
