import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '@payments/egress/http-client'
import { until } from '@payments/testing/services/until'
import type { Account, Connector } from '../src/connectors/connector.ts'
import { createStripeConnector } from '../src/connectors/stripe/stripe-connector.ts'
import { httpServer } from './http-server.ts'

/** The requests that have no response yet, with the key of their account. */
let open: { readonly key: string; readonly response: ServerResponse }[] = []
let stripe: Awaited<ReturnType<typeof httpServer>>
let client: HttpClient
let connector: Connector
beforeAll(async () => {
  stripe = await httpServer(({ headers }) => (response) => {
    open.push({ key: String(headers.authorization), response })
  })
  client = createHttpClient({ allowPrivate: true })
})
beforeEach(() => {
  open = []
  connector = createStripeConnector(client)
})
afterAll(async () => {
  client.close()
  await stripe.close()
})

/** Reads the first page of an account of the tenant, as a sync or a reconciliation does. */
function requestList(tenantId: string, key: string) {
  const account: Account = {
    tenantId,
    businessUnitId: randomUUID(),
    paymentOrchestratorId: randomUUID(),
    connector: 'stripe',
    mode: 'test',
    gatewayUrl: stripe.url,
    settings: {},
    credentials: { secret_key: key },
    name: key,
  }
  const window = { from: new Date(0), to: new Date(), cursor: null }
  return connector.listOperations?.(account, window, new AbortController().signal)
}

const findOpen = (key: string) => open.filter((one) => one.key === `Bearer ${key}`)

function respond(): void {
  for (const { response } of open.splice(0)) response.writeHead(200).end('{"data":[],"has_more":false}')
}

test('a tenant reads four pages at once, whatever the number of its accounts, and another one reads meanwhile', async () => {
  const [many, other] = [randomUUID(), randomUUID()]
  const lists = Array.from({ length: 12 }, () => requestList(many, 'sk_test_many'))
  await until(() => findOpen('sk_test_many').length === 4)
  const others = requestList(other, 'sk_test_other')
  await until(() => findOpen('sk_test_other').length === 1)
  expect(findOpen('sk_test_many')).toHaveLength(4)
  let most = 0
  const responding = setInterval(() => {
    most = Math.max(most, findOpen('sk_test_many').length)
    respond()
  }, 20)
  expect(await others).toMatchObject({ operations: [] })
  expect(await Promise.all(lists)).toHaveLength(12)
  clearInterval(responding)
  expect(most).toBe(4)
})

test('pages of all tenants together are sixteen, and the others wait in turns', async () => {
  const lists = Array.from({ length: 8 }, (_, number) => {
    const tenantId = randomUUID()
    return Array.from({ length: 4 }, () => requestList(tenantId, `sk_test_${number}`))
  }).flat()
  await until(() => open.length === 16)
  const responding = setInterval(respond, 20)
  expect(await Promise.all(lists)).toHaveLength(32)
  clearInterval(responding)
})
