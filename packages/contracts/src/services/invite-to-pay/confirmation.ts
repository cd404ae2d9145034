import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { pageRoute } from '../../grammar/route.ts'
import { codeInLink, formLimits, linkQuery } from './pages.ts'

/** The redirects to the bank of the payer, and back. */

const params = z.strictObject({ code: codeInLink })
const query = z.object(linkQuery)

export const confirmationEndpoints = {
  showBank: {
    ...pageRoute('GET', '/pay/{code}/bank', 200, 303, 404, 503),
    summary: "Redirect to the bank's page at which the payer confirms a payment.",
    description: 'For the payer, in a browser. Without a payment that waits for the payer, redirects to the pay page.',
    params,
    query,
    rawBody: { headers: ['accept-language'] },
    ...formLimits,
  },
  returnFromBank: {
    ...pageRoute('GET', '/pay/{code}/return', 303, 404, 503),
    summary: 'Return from the bank to the pay page.',
    description: 'The payment provider is queried for the outcome. Parameters of the address are not read.',
    params,
    query,
    rawBody: { headers: ['accept-language'] },
    ...formLimits,
    foreignQuery: true,
  },
  cancelConfirmation: {
    ...pageRoute('POST', '/pay/{code}/cancel', 303, 400, 404, 409, 503),
    summary: 'Cancel a payment that waits for the payer, to pay in another way.',
    description:
      'The form of the pay page. A payment that the payer has confirmed is a payment. The page says when the payment was not canceled.',
    params,
    query,
    rawBody: { headers: ['accept-language', 'content-type', 'origin', 'sec-fetch-site'] },
    ...formLimits,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
