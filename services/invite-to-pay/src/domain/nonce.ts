import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The nonce of the payment form: an HMAC, with the value of the code as key, over the version of the code, amount,
 * currency and minute of issue. A nonce is valid for an hour, and for the version that the payer saw: each change and
 * each payment increments the version, so a nonce pays once and never pays an amount that the payer did not see.
 */
interface Seen {
  readonly version: number
  readonly amount: number
  readonly currency: string
}

const minuteMs = 60_000
const minutesMax = 60

export function issueNonce(codeValue: string, seen: Seen, now: Date): string {
  return signNonce(codeValue, seen, toMinute(now))
}

export function isValidNonce(nonce: string, codeValue: string, seen: Seen, now: Date): boolean {
  const [, written = ''] = /^([0-9a-z]{1,9})\./.exec(nonce) ?? []
  const minute = Number.parseInt(written, 36)
  const ageMinutes = toMinute(now) - minute
  if (!(ageMinutes >= 0 && ageMinutes < minutesMax)) return false
  const [given, expected] = [Buffer.from(nonce), Buffer.from(signNonce(codeValue, seen, minute))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const toMinute = (instant: Date): number => Math.floor(instant.getTime() / minuteMs)

function signNonce(codeValue: string, { version, amount, currency }: Seen, minute: number): string {
  const text = JSON.stringify(['payment form', version, amount, currency, minute])
  return `${minute.toString(36)}.${createHmac('sha256', codeValue).update(text).digest('base64url')}`
}
