import { z } from 'zod'

/** The members of Stripe's objects that the connector uses. Stripe adds members at any time. */
const metadata = z.record(z.string(), z.string())
const code = z.string().max(100).nullish()
const amount = z.int().min(0)
const currency = z.string().regex(/^[a-z]{3}$/)

/** Without it, the payment is reported all the same. */
const threeDSecure = z
  .object({
    version: z.string().max(20).nullish(),
    result: z.string().max(100).nullish(),
    electronic_commerce_indicator: z.string().max(10).nullish(),
    transaction_id: z.string().max(100).nullish(),
  })
  .nullish()
  .catch(null)

const card = z.object({
  brand: z.string().min(1).max(50).nullish(),
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .nullish(),
  three_d_secure: threeDSecure,
})
const charge = z.object({
  id: z.string(),
  payment_method_details: z.object({ card: card.nullish() }).nullish(),
})

const errorFields = z.object({
  type: z.string().max(100),
  code,
  decline_code: code,
})

const intentId = z.string().regex(/^pi_\w{1,200}$/)

export const paymentIntent = z.object({
  id: intentId,
  object: z.literal('payment_intent'),
  status: z.string(),
  amount,
  amount_capturable: amount,
  amount_received: amount,
  currency,
  created: z.int(),
  metadata,
  last_payment_error: errorFields.nullish(),
  latest_charge: z.union([z.string(), charge]).nullish(),
  next_action: z
    .object({ type: z.string().max(100), redirect_to_url: z.object({ url: z.string().nullish() }).nullish() })
    .nullish(),
  cancellation_reason: code,
})

export type PaymentIntent = z.output<typeof paymentIntent>

export const refund = z.object({
  id: z.string().regex(/^\w{1,200}$/),
  object: z.literal('refund'),
  status: z.string().nullish(),
  amount,
  currency,
  created: z.int(),
  metadata: metadata.nullish(),
  failure_reason: code,
})

export type Refund = z.output<typeof refund>

export const failure = z.object({
  error: errorFields.extend({ payment_intent: z.object({ id: intentId }).nullish() }),
})

export type Failure = z.output<typeof failure>['error']

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item).max(100), has_more: z.boolean() })

export const event = z.object({
  id: z.string().regex(/^evt_\w{1,200}$/),
  object: z.literal('event'),
  type: z.string(),
  created: z.int(),
  data: z.object({ object: z.unknown() }),
})

/** Keys of metadata with the id of an operation. */
export const operationKey = 'operation_id'
export const captureKey = 'capture_operation_id'

/** Key of metadata: the payer may be sent to a page. They get the client secret with the address to return to. */
export const payerKey = 'payer_action'
export const payerRedirect = 'redirect'

export function mayReturn({ metadata: pairs }: PaymentIntent): boolean {
  return pairs[payerKey] === payerRedirect
}

/** Null: the object was not created by an operation of this platform. */
export function operationIdIn(
  { metadata: pairs }: { readonly metadata?: Readonly<Record<string, string>> | null | undefined },
  key: typeof operationKey | typeof captureKey,
): string | null {
  return z.uuid().safeParse(pairs?.[key]).data ?? null
}
