import type { CreateSubscriptionRequest } from '@payments/client/schemas'
import type { Shop } from './shop.ts'

/** By the path of the endpoint (receiver.ts). */
const subscriptions: Readonly<Record<string, Omit<CreateSubscriptionRequest, 'destination_url'>>> = {
  '/orders': { label: 'Order system', event_types: ['payment-proxy.transactions.*', 'invite-to-pay.*'] },
  '/loyalty': { label: 'Loyalty points', event_types: ['payment-proxy.transactions.*'] },
  '/accounting': {
    label: 'Accounting',
    event_types: [
      'payment-proxy.transactions.authorize',
      'payment-proxy.transactions.capture',
      'payment-proxy.transactions.refund',
    ],
  },
  '/warehouse': { label: 'Warehouse', event_types: ['payment-proxy.transactions.capture'] },
  '/campaigns': { label: 'Campaigns', event_types: ['payment-proxy.transactions.authorize.failed'] },
}

/** One subscription per endpoint of the receiver. That of the order system has an auth info. */
export async function writeSubscriptions({ client, unitId, once }: Shop, receiverUrl: string): Promise<void> {
  const config = { location: 'header', name: 'Authorization', value: 'orders-token-4711', prefix: 'Bearer ' } as const
  const host = new URL(receiverUrl).hostname
  const authInfo = await client.createAuthInfo(
    { body: { name: 'Order system', type: 'api_credential', config, hosts: [host] } },
    once('auth-info'),
  )
  for (const [path, subscription] of Object.entries(subscriptions)) {
    const body = {
      ...subscription,
      destination_url: receiverUrl + path,
      ...(path === '/orders' ? { webhook_auth_info_id: authInfo.id } : {}),
    }
    await client.createSubscription({ business_unit_id: unitId, body }, once(`subscription ${path}`))
  }
}
