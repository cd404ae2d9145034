import { readForm } from '@payments/chassis/request/form'
import type { RawBody } from '@payments/contracts/grammar/contract'
import { paymentDetails } from '@payments/contracts/nouns/transaction'
import { formLimits } from '@payments/contracts/services/invite-to-pay/pages'
import type { SubmittedForm } from '../domain/form-decision.ts'

const nonceLengthMax = 200

/** Parses the form that cancels a payment. Undefined for anything that the page does not submit. */
export function readNonce(body: RawBody): string | undefined {
  const [[name, nonce] = [], ...others] = readSmallForm(body) ?? []
  return name === 'nonce' && others.length === 0 ? nonce : undefined
}

/** Parses the form of the pay page. Undefined for anything that the page does not submit. */
export function readPaymentForm(body: RawBody): SubmittedForm | undefined {
  const entries = readSmallForm(body) ?? []
  const { nonce = '', ...details } = Object.fromEntries(entries)
  // Three names, each once: the schema requires the two besides the nonce.
  if (entries.length !== 3 || nonce === '' || nonce.length > nonceLengthMax) return undefined
  const parsed = paymentDetails.safeParse(details)
  return parsed.success ? { nonce, paymentDetails: parsed.data } : undefined
}

function readSmallForm(body: RawBody) {
  return body.bytes.length > formLimits.bodyBytesMax ? undefined : readForm(body)
}
