/** Deliveries that an endpoint missed, for pages that show them. */
import type { Receiver } from '@payments/testing/peers/receiver'
import type { ConsoleWorld } from './world.ts'

/** A name of a tenant that would be markup, and a text with a character that changes the order of others. */
const hostileName = 'shop <img src=x onerror=alert(1)>'
const hostile = `\u202e ${hostileName}`
const letters = '/v1/webhooks/dead-letters'
const deadMs = 120_000

/** Waits for this number of dead letters of the tenant. */
export async function untilDead({ call }: ConsoleWorld, count: number): Promise<void> {
  const deadlineAt = Date.now() + deadMs
  for (;;) {
    const { body } = await call('GET', `${letters}?limit=200`)
    if (body.data.length === count) return
    if (Date.now() > deadlineAt) throw new Error(`${body.data.length} of ${count} deliveries are dead`)
    await call('GET', '/v1/webhooks/changes?wait_seconds=2')
  }
}

/** A subscription with an auth info, two dead letters of it, and the task that discarded a third. */
export async function missSome(world: ConsoleWorld, endpoint: Receiver): Promise<void> {
  const { call, tenant } = world
  endpoint.respondWith(() => ({ status: 503, body: JSON.stringify({ error: hostile }) }))
  const path = `/v1/webhooks/${tenant.business_unit_id}/webhooks`
  const { body: authInfo } = await call('POST', '/v1/webhooks/auth-info', {
    name: hostileName,
    type: 'custom_headers',
    config: { headers: { 'X-Ledger-Key': 'k-4711' } },
    hosts: [new URL(endpoint.url).host],
  })
  const body = { destination_url: endpoint.url, label: hostileName, webhook_auth_info_id: authInfo.id }
  const { body: subscription } = await call('POST', path, { ...body, event_types: ['webhooks.test'] })
  for (let sent = 0; sent < 3; sent++) await call('POST', `${path}/${subscription.id}/test`)
  await untilDead(world, 3)
  const { body: dead } = await call('GET', letters)
  await call('POST', `${letters}/discard`, { ids: [dead.data[0].id], reason: hostile })
  await untilDead(world, 2)
}
