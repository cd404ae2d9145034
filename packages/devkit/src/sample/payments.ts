import { PaymentDeclinedError } from '@payments/client/errors'
import type { CreateAndAuthorizeTransactionRequest } from '@payments/client/schemas'
import { inBatches, type Shop } from './shop.ts'

/** Name, and price in minor units. */
const products = [
  ['Guji natural, 250 g', 1_490],
  ['Espresso blend, 1 kg', 2_890],
  ['Filter papers', 590],
  ['Hand grinder', 7_900],
  ['Tasting for two', 5_600],
  ['Porcelain dripper', 2_450],
] as const

const customers = ['Mara Lindqvist', 'Tomás Ruiz', 'Aiko Tanaka', 'Ben Okafor', 'Chloé Martin', 'Jonas Weber'] as const

type Step = (shop: Shop, transactionId: string, amount: number, name: string) => Promise<unknown>

const capture: Step = ({ client, once }, transaction_id, _amount, name) =>
  client.captureTransaction({ transaction_id }, once(`${name}-capture`))

const captureHalf: Step = ({ client, once }, transaction_id, amount, name) =>
  client.captureTransaction({ transaction_id, body: { amount: Math.ceil(amount / 2) } }, once(`${name}-capture`))

const refundPart: Step = ({ client, once }, transaction_id, amount, name) =>
  client.refundTransaction({ transaction_id, body: { amount: Math.ceil(amount / 4) } }, once(`${name}-refund`))

const refund: Step = ({ client, once }, transaction_id, _amount, name) =>
  client.refundTransaction({ transaction_id }, once(`${name}-refund`))

const voidAll: Step = ({ client, once }, transaction_id, _amount, name) =>
  client.voidTransaction({ transaction_id }, once(`${name}-void`))

interface Scenario {
  /** Of the sandbox, without its prefix `tok_sandbox_`. */
  readonly token: string
  /** After the authorization. */
  readonly steps: readonly Step[]
}

const scenario = (token: string, ...steps: readonly Step[]): Scenario => ({ token, steps })

/** Each order of the day takes the next one, and the first after the last. */
const scenarios: readonly Scenario[] = [
  scenario('visa', capture),
  scenario('mastercard', capture),
  scenario('visa', capture, refundPart),
  scenario('insufficient_funds'),
  scenario('amex', capture),
  scenario('visa'),
  scenario('mastercard', captureHalf),
  scenario('visa', voidAll),
  scenario('expired_card'),
  scenario('visa', capture),
  scenario('mastercard', capture, refund),
  scenario('timeout_applied'),
  scenario('visa', capture),
  scenario('suspected_fraud'),
  scenario('visa', capture),
  scenario('capture_timeout_applied', capture),
]

const orderCount = 45

/** The orders of a day: most are paid, some are declined, refunded or voided, and one has no outcome. */
export async function writePayments(shop: Shop): Promise<void> {
  const day = Array.from({ length: orderCount }, (_none, index) => scenarios[index % scenarios.length] as Scenario)
  await inBatches([...day, scenario('unknown_forever')], (each, index) => pay(shop, each, index))
}

async function pay(shop: Shop, { token, steps }: Scenario, index: number): Promise<void> {
  const name = `order-${4_701 + index}`
  const body = buildOrder(shop.unitId, name, token, index)
  try {
    const { id, amount } = await shop.client.createAndAuthorizeTransaction({ body }, shop.once(name))
    for (const step of steps) await step(shop, id, amount, name)
  } catch (error) {
    // A declined payment is one of the scenarios, and has no further step.
    if (!(error instanceof PaymentDeclinedError)) throw error
  }
}

function buildOrder(unitId: string, name: string, token: string, index: number): CreateAndAuthorizeTransactionRequest {
  const [product, price] = products[index % products.length] as (typeof products)[number]
  const customer = customers[index % customers.length] as string
  return {
    business_unit_id: unitId,
    external_reference: name,
    currency: index % 5 === 4 ? 'USD' : 'EUR',
    transaction: { transaction_items: [{ name: product, unit_amount: price, quantity: 1 + (index % 3) }] },
    customer_details: { name: customer, reference: `customer-${310 + (index % customers.length)}` },
    metadata: { channel: index % 4 === 0 ? 'store' : 'web' },
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${token}` },
  }
}
