import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type Call, createCaller, type Onboarded, onboard } from './tenant.ts'
import { payment } from './tenant-resources.ts'

/** A page of a tenant waits for changes, and reads its lists again. */
const platform = sharedPlatform()
const path = '/v1/webhooks/changes'
let endpoint: Receiver
let tenant: Onboarded
let call: Call

beforeAll(async () => {
  endpoint = await receiver()
  tenant = await onboard(platform, 'Berlin Coffee')
  call = createCaller(platform, tenant.api_key.value, tenant.tenant_id)
  await call('POST', `/v1/webhooks/${tenant.business_unit_id}/webhooks`, { destination_url: endpoint.url })
}, 240_000)
afterAll(() => endpoint?.close())

const authorize = async (): Promise<string> =>
  (await call('POST', '/v1/payment-proxy/transactions/authorize', payment(tenant.business_unit_id))).body.id

test('a payment ends the wait, and the lists then have its event and its delivery', async () => {
  let after: string = (await call('GET', path)).body.next_cursor
  const waiting = call('GET', `${path}?wait_seconds=20&after=${after}`)
  const id = await authorize()
  let { status, body } = await waiting
  const events = async () => (await call('GET', `/v1/webhooks/events?resource_id=${id}`)).body.data
  while ((await events()).length === 0) {
    expect([status, body.topics]).toEqual([200, expect.arrayContaining([expect.any(String)])])
    after = body.next_cursor
    ;({ status, body } = await call('GET', `${path}?wait_seconds=20&after=${after}`))
  }
  const [event] = await events()
  const delivered = async () => {
    const query = `tenant_event_id=${event.tenant_event_id}&status=delivered`
    return (await call('GET', `/v1/webhooks/deliveries?${query}`)).body.data
  }
  while ((await delivered()).length === 0) {
    after = (await call('GET', `${path}?wait_seconds=5&after=${after}`)).body.next_cursor
  }
  expect(await delivered()).toMatchObject([{ tenant_event_id: event.tenant_event_id, attempt_count: 1 }])
}, 120_000)

test('a change after the deletion of a key is not shown to its waiting caller', async () => {
  const viewer = tenant.roles.find(({ name }) => name === 'viewer')
  const { id, value } = (await call('POST', '/v1/api-key/keys', { name: 'page' })).body
  await call('PUT', `/v1/api-key/keys/${id}/roles`, { role_ids: [viewer?.id] })
  const page = createCaller(platform, value, tenant.tenant_id)
  let reply = await page('GET', path)
  expect(reply.status).toBe(200)
  const next = () => page('GET', `${path}?wait_seconds=20&after=${reply.body.next_cursor}`)
  let waiting = next()
  expect((await call('DELETE', `/v1/api-key/keys/${id}`)).status).toBe(204)
  await authorize()
  // Changes before the deletion may end waits: the creation of the key, for example.
  for (reply = await waiting; reply.status === 200; reply = await waiting) waiting = next()
  expect([reply.status, reply.body.topics]).toEqual([401, undefined])
}, 120_000)
