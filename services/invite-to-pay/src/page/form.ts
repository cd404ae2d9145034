import type { RawBody } from '@payments/contracts/grammar/contract'
import { paymentDetails } from '@payments/contracts/nouns/transaction'
import { formLimits } from '@payments/contracts/services/invite-to-pay/pages'
import type { SubmittedForm } from '../domain/form-decision.ts'

const nonceLengthMax = 200
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Parses the form that cancels a payment. Undefined for anything that the page does not submit. */
export function readNonce(contentType: string | undefined, bytes: Buffer): string | undefined {
  if (!formType.test(contentType ?? '') || bytes.length > formLimits.bodyBytesMax) return undefined
  const [[name, nonce] = [], ...others] = [...new URLSearchParams(bytes.toString('utf8'))]
  return name === 'nonce' && others.length === 0 ? nonce : undefined
}

/** Parses the form of the pay page. Undefined for anything that the page does not submit. */
export function readPaymentForm(contentType: string | undefined, bytes: Buffer): SubmittedForm | undefined {
  if (!formType.test(contentType ?? '') || bytes.length > formLimits.bodyBytesMax) return undefined
  const entries = [...new URLSearchParams(bytes.toString('utf8'))]
  const { nonce = '', ...details } = Object.fromEntries(entries)
  // Three names, each once: the schema requires the two besides the nonce.
  if (entries.length !== 3 || nonce === '' || nonce.length > nonceLengthMax) return undefined
  const parsed = paymentDetails.safeParse(details)
  return parsed.success ? { nonce, paymentDetails: parsed.data } : undefined
}

/** Decides by Sec-Fetch-Site where a browser sends it. The policy no-referrer makes the origin of our pages `null`. */
export function isFromOurPage(headers: RawBody['headers'], ourOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || origin === 'null' || origin === ourOrigin
}
