import { PaymentDeclinedError } from '@payments/client/errors'
import type { CreateAndAuthorizeTransactionRequest } from '@payments/client/schemas'
import { inTurn, type Shop } from './shop.ts'

/** Name and price, in minor units of EUR. */
const articles = [
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

const release: Step = ({ client, once }, transaction_id, _amount, name) =>
  client.voidTransaction({ transaction_id }, once(`${name}-void`))

interface Course {
  /** Of the sandbox. */
  readonly token: string
  readonly steps: readonly Step[]
}

const course = (token: string, ...steps: readonly Step[]): Course => ({ token, steps })

/** The courses of the orders of a day, one after the other and again from the start. */
const courses: readonly Course[] = [
  course('visa', capture),
  course('mastercard', capture),
  course('visa', capture, refundPart),
  course('insufficient_funds'),
  course('amex', capture),
  course('visa'),
  course('mastercard', captureHalf),
  course('visa', release),
  course('expired_card'),
  course('visa', capture),
  course('mastercard', capture, refund),
  course('timeout_applied'),
  course('visa', capture),
  course('suspected_fraud'),
  course('visa', capture),
  course('capture_timeout_applied', capture),
]

const orders = 45

/** The orders of a day: most are paid, some are declined, refunded or voided, and one has no outcome. */
export async function writePayments(shop: Shop): Promise<void> {
  const day = Array.from({ length: orders }, (_none, index) => courses[index % courses.length] as Course)
  await inTurn([...day, course('unknown_forever')], (each, index) => pay(shop, each, index))
}

async function pay(shop: Shop, { token, steps }: Course, index: number): Promise<void> {
  const name = `order-${4_701 + index}`
  const body = orderOf(shop.unitId, name, token, index)
  try {
    const { id, amount } = await shop.client.createAndAuthorizeTransaction({ body }, shop.once(name))
    for (const step of steps) await step(shop, id, amount, name)
  } catch (error) {
    if (!(error instanceof PaymentDeclinedError)) throw error
  }
}

function orderOf(unitId: string, name: string, token: string, index: number): CreateAndAuthorizeTransactionRequest {
  const [article, price] = articles[index % articles.length] as (typeof articles)[number]
  const customer = customers[index % customers.length] as string
  return {
    business_unit_id: unitId,
    external_reference: name,
    currency: index % 5 === 4 ? 'USD' : 'EUR',
    transaction: { transaction_items: [{ name: article, unit_amount: price, quantity: 1 + (index % 3) }] },
    customer_details: { name: customer, reference: `customer-${310 + (index % customers.length)}` },
    metadata: { channel: index % 4 === 0 ? 'store' : 'web' },
    payment_details: { payment_method: 'CREDIT_CARD', cc_token: `tok_sandbox_${token}` },
  }
}
