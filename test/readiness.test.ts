/** @slow It starts its own platform. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { serviceNames } from '@payments/contracts/edges/contracts'
import { startTestStack, type TestStack } from '@payments/testing/platform/local-stack'
import { onboard } from './tenant.ts'
import { senderFor } from './tenant-resources.ts'

let platform: TestStack

/** Each process starts without a broker: the stack is started when every process is ready. */
beforeAll(async () => {
  platform = await startTestStack({ amqpUrl: 'amqp://127.0.0.1:1', without: ['webhooks-dispatcher'] })
}, 120_000)
afterAll(() => platform?.stop(), 120_000)

test('without RabbitMQ, every process of the request path starts, is ready, reports the outage and serves', async () => {
  for (const service of serviceNames) {
    const response = await fetch(`http://127.0.0.1:${platform.ports[service]}/readyz`)
    const degraded = { broker: 'no connection to the broker' }
    expect([response.status, await response.json()]).toEqual([200, { status: 'ready', reasons: {}, degraded }])
  }
  expect((await fetch(`http://127.0.0.1:${platform.ports.gatewayInternal}/readyz`)).status).toBe(200)
  const acme = await onboard(platform, 'Acme')
  const send = senderFor(platform, acme.api_key.value, acme.tenant_id)
  expect((await send('POST', '/v1/api-key/keys', { name: 'during the outage' })).status).toBe(201)
})
