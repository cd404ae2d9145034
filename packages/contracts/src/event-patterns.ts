/** The events of business units and their payment orchestrators, for services with copies of them. */
export const businessUnitPatterns = ['business-unit.business-units.*', 'business.unit.payment.orchestrator.*'] as const

/** The events that settle a code. */
export const transactionPatterns = ['payment-proxy.transactions.#'] as const

/** The event types that each service consumes, as patterns of a topic exchange: `*` is one word, `#` any number. */
export const eventPatterns = {
  webhooks: ['#'],
  'payment-proxy': businessUnitPatterns,
  communication: businessUnitPatterns,
  'invite-to-pay': [...businessUnitPatterns, ...transactionPatterns],
} as const satisfies Readonly<Record<string, readonly string[]>>
