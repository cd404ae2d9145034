import { type Received, receiver } from '@payments/testing/peers/receiver'
import { Webhook } from 'standardwebhooks'
import type { Call } from '../../tenant.ts'

/** An event about a code, as the tenant's endpoint got it. */
export interface HeardEvent {
  /** The same over every retry. */
  readonly id: string
  readonly type: string
  readonly codeId: string
  readonly status: string
}

/** The tenant's subscription to events of codes. Every delivery is signed, or its endpoint throws. */
export interface Subscription {
  readonly heard: () => ReadonlyMap<string, HeardEvent>
  readonly stop: () => Promise<void>
}

interface EventBody {
  readonly tenant_event_id: string
  readonly event_type: string
  readonly metadata: { readonly payload: { readonly code: { readonly id: string; readonly status: string } } }
}

export async function subscribe(call: Call, unit: string): Promise<Subscription> {
  const endpoint = await receiver()
  const heard = new Map<string, HeardEvent>()
  const path = `/v1/webhooks/${unit}/webhooks`
  const created = await call('POST', path, {
    destination_url: `${endpoint.url}/codes`,
    event_types: ['invite-to-pay.*', 'payment-proxy.i2p.resend'],
  })
  if (created.status !== 201) throw new Error(`no subscription: ${JSON.stringify(created.body)}`)
  const { secret } = (await call('GET', `${path}/${created.body.id}/reveal`)).body
  endpoint.respondWith((received: Received) => {
    const verified = new Webhook(secret).verify(received.body, received.headers as Record<string, string>)
    const { tenant_event_id: id, event_type: type, metadata } = verified as EventBody
    const { code } = metadata.payload
    heard.set(id, { id, type, codeId: code.id, status: code.status })
    return { status: 200 }
  })
  return { heard: () => heard, stop: () => endpoint.close() }
}
