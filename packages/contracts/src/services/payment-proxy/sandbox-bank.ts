import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { text } from '../../grammar/field.ts'
import { pageRoute } from '../../grammar/route.ts'

/** The bank of the sandbox: a page on which a payer confirms or declines a payment that moves no money. */

const params = z.strictObject({ challenge: text(100).describe('The challenge in the link.') })
const path = '/pay/sandbox-bank/{challenge}'

/** The form has one button. */
const formLimits = { bodyBytesMax: 1_024, bodyTimeoutMs: 3_000 } as const

export const sandboxBankEndpoints = {
  showSandboxBank: {
    ...pageRoute('GET', path, 200, 303, 404, 410),
    summary: 'Show the page on which a payer confirms a payment of the sandbox.',
    description: 'For a test payer, in a browser. Leads back after the decision. Changes nothing.',
    params,
    rawBody: { headers: [] },
    ...formLimits,
  },
  decideAtSandboxBank: {
    ...pageRoute('POST', path, 303, 400, 404, 410),
    summary: 'Confirm or decline a payment of the sandbox.',
    description: 'The form of the page. Leads back to the `return_url` of the payment.',
    params,
    rawBody: { headers: ['content-type', 'origin', 'sec-fetch-site'] },
    ...formLimits,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
