/** The events of business units and their payment orchestrators, for services with copies of them. */
export const businessUnitPatterns = ['business-unit.business-units.*', 'business.unit.payment.orchestrator.*'] as const

/** The events that create and settle a code: events of transactions with an invitation (event-routing.ts). */
export const transactionPatterns = ['payment-proxy.transactions.#'] as const

/** Requests to erase the personal data of a payer, and the reports of the services about it. */
export const erasureRequestPatterns = ['communication.payers.erase'] as const
export const erasureReportPatterns = ['*.payers.erased'] as const

/**
 * The events that each service consumes, as patterns of their routing keys: `*` is one word, `#` any number. Where no
 * other key is defined, the key is the event type.
 */
export const eventPatterns = {
  webhooks: ['#'],
  'payment-proxy': [...businessUnitPatterns, ...erasureRequestPatterns],
  communication: [...businessUnitPatterns, ...erasureReportPatterns],
  'invite-to-pay': [...businessUnitPatterns, ...transactionPatterns, ...erasureRequestPatterns],
} as const satisfies Readonly<Record<string, readonly string[]>>
