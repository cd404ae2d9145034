import { createClient, type PaymentServiceClient } from '@payments/client'

/** The tenant that gets the sample data, with the value of an API key of an administrator. */
export interface SampleTenant {
  readonly tenant_id: string
  readonly business_unit_id: string
  readonly api_key: { readonly value: string }
}

/** The tenant, as each part of the sample data sees it. */
export interface Shop {
  readonly gatewayUrl: string
  readonly tenantId: string
  readonly unitId: string
  readonly client: PaymentServiceClient
  /** Options of a call that has one effect, also when the sample data is written again. `name`: unique in it. */
  readonly once: (name: string) => { readonly idempotencyKey: string }
}

export function openShop(gatewayUrl: string, { tenant_id, business_unit_id, api_key }: SampleTenant): Shop {
  return {
    gatewayUrl,
    tenantId: tenant_id,
    unitId: business_unit_id,
    client: createShopClient(gatewayUrl, tenant_id, api_key.value),
    once: (name) => ({ idempotencyKey: encodeURIComponent(`sample ${business_unit_id} ${name}`) }),
  }
}

export const createShopClient = (gatewayUrl: string, tenantId: string, credential: string) =>
  createClient({ baseUrl: gatewayUrl, credential, tenantId })

const batchSize = 4

/** Runs `work` for each item, a batch after the other. */
export async function inBatches<Item>(items: readonly Item[], work: (item: Item, index: number) => Promise<unknown>) {
  for (let from = 0; from < items.length; from += batchSize) {
    await Promise.all(items.slice(from, from + batchSize).map((item, index) => work(item, from + index)))
  }
}
