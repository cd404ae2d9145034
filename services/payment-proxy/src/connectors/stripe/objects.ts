import { z } from 'zod'

/**
 * The members of Stripe's objects that the connector uses. Stripe adds members at any time. Ids, states, amounts and
 * currencies are strict. A text beside them never makes an outcome unknown: a malformed one is left out, and
 * `provider-text.ts` shortens and cleans the others.
 */
const text = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null)
/** Keys of metadata with the id of an operation. */
export const operationKey = 'operation_id'
export const captureKey = 'capture_operation_id'

/** Key of metadata: the payer may be sent to a page. They get the client secret with the address to return to. */
export const payerKey = 'payer_action'
export const payerRedirect = 'redirect'

/** A foreign object has any number of metadata: only the members of the platform are visited. */
const metadata = z
  .object({ [operationKey]: z.unknown(), [captureKey]: z.unknown(), [payerKey]: z.unknown() })
  .partial()
  .nullish()
const amount = z.int().min(0)
const currency = z.string().regex(/^[a-z]{3}$/)

/** Without it, the payment is reported all the same. */
const threeDSecure = z
  .object({
    version: text,
    result: text,
    electronic_commerce_indicator: text,
    transaction_id: text,
  })
  .nullish()
  .catch(null)

const card = z.object({
  brand: text,
  last4: z
    .string()
    .regex(/^\d{4}$/)
    .nullish()
    .catch(null),
  three_d_secure: threeDSecure,
})
const charge = z.object({
  id: z.string(),
  payment_method_details: z.object({ card: card.nullish() }).nullish().catch(null),
})

const errorFields = z.object({
  type: z.string(),
  code: text,
  decline_code: text,
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
    .object({ type: z.string(), redirect_to_url: z.object({ url: z.string().nullish() }).nullish() })
    .nullish(),
  cancellation_reason: text,
})

export type PaymentIntent = z.output<typeof paymentIntent>

export const refund = z.object({
  id: z.string().regex(/^\w{1,200}$/),
  object: z.literal('refund'),
  status: z.string().nullish(),
  amount,
  currency,
  created: z.int(),
  metadata,
  failure_reason: text,
})

export type Refund = z.output<typeof refund>

export const failure = z.object({
  error: errorFields.extend({ payment_intent: z.object({ id: intentId }).nullish() }),
})

export type Failure = z.output<typeof failure>['error']

export const listSchema = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item).max(100), has_more: z.boolean() })

export const event = z.object({
  id: z.string().regex(/^evt_\w{1,200}$/),
  object: z.literal('event'),
  type: z.string(),
  created: z.int(),
  data: z.object({ object: z.unknown() }),
})

export function mayReturn({ metadata: pairs }: PaymentIntent): boolean {
  return pairs?.[payerKey] === payerRedirect
}

/** Null: the object was not created by an operation of this platform. */
export function operationIdIn(
  { metadata: pairs }: { readonly metadata?: Readonly<Record<string, unknown>> | null | undefined },
  key: typeof operationKey | typeof captureKey,
): string | null {
  return z.uuid().safeParse(pairs?.[key]).data ?? null
}
