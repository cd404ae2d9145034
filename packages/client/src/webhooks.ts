import type { WebhookDelivery, WebhookPayloads } from './generated/schemas.ts'

/**
 * Verification of a webhook by Standard Webhooks: `webhook-signature` has HMAC-SHA256 signatures over
 * `webhook-id.webhook-timestamp.body`, one per secret of the subscription.
 */
export type WebhookEventType = keyof WebhookPayloads

/** The body of a delivery, by the type of its event. */
export type WebhookEventOf<Type extends WebhookEventType> = Omit<WebhookDelivery, 'event_type' | 'metadata'> & {
  readonly event_type: Type
  readonly metadata: {
    /** Content of the event. */
    readonly payload: WebhookPayloads[Type]
    /** Business unit of the subscription. */
    readonly business_unit_id: string
  }
}

/**
 * An event of any type, which `event_type` states. A later version of the API may send types that this version of the
 * client does not list, so a `switch` needs a `default`.
 */
export type WebhookEvent = { [Type in WebhookEventType]: WebhookEventOf<Type> }[WebhookEventType]

/** Headers as `fetch` or as Node has them. Names are case-insensitive. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Maximum difference between `webhook-timestamp` and now, into past and future. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** Default: the clock of this machine. */
  readonly now?: Date | undefined
}

export type WebhookVerificationReason =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'invalid_signature'
  | 'invalid_body'

/** The request is not a delivery of the subscription. Respond with status 400 and do not process the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookVerificationReason

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message)
    this.reason = reason
  }
}

const toleranceSecondsDefault = 300
const secretsMax = 10
const signaturesMax = 20
const secretBytesMin = 16

/**
 * Resolves with the event of an authentic delivery, and rejects with WebhookVerificationError for another one.
 *
 * `body`: the bytes as received, or their text; a parsed and serialized body has other bytes. `secrets`: the secret of
 * the subscription (`whsec_…`), or several during a rotation. A secret or an option that is not usable is a TypeError
 * or RangeError, because the receiver is misconfigured.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = toleranceSecondsDefault, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('body must be the raw body: a string or bytes, not a parsed object')
  }
  const keys = await Promise.all(decodeSecrets(secrets).map(importKey))
  const id = requireHeader(headers, 'webhook-id')
  const timestamp = requireHeader(headers, 'webhook-timestamp')
  const signatures = readSignatures(requireHeader(headers, 'webhook-signature'))
  checkTimestamp(timestamp, now, toleranceSeconds)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = await new Blob([`${id}.${timestamp}.`, bytes as BlobPart]).arrayBuffer()
  // Every pair is tried, and `verify` compares in constant time.
  const pairs = keys.flatMap((key) => signatures.map((signature) => ({ key, signature })))
  const matches = await Promise.all(
    pairs.map(({ key, signature }) => crypto.subtle.verify('HMAC', key, signature, signed)),
  )
  if (!matches.includes(true)) {
    throw new WebhookVerificationError('invalid_signature', 'no signature is valid for the body and a secret')
  }
  return readEvent(bytes)
}

function decodeSecrets(secrets: string | readonly string[]): Uint8Array<ArrayBuffer>[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets
  if (!Array.isArray(list) || list.length === 0 || list.length > secretsMax) {
    throw new TypeError(`secrets must be a secret or a list of 1 to ${secretsMax}`)
  }
  return list.map((secret: unknown) => {
    const key = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : undefined
    if (key === undefined || key.length < secretBytesMin) throw new TypeError('a secret must be whsec_ and base64')
    return key
  })
}

function importKey(key: Uint8Array<ArrayBuffer>) {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError('missing_header', `the header ${name} is missing or repeated`)
}

/** The signatures of version 1. Others are for receivers of other versions. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  const entries = header.split(' ')
  if (entries.length > signaturesMax) {
    throw new WebhookVerificationError(
      'invalid_signature',
      `webhook-signature has more than ${signaturesMax} signatures`,
    )
  }
  return entries
    .filter((entry) => entry.startsWith('v1,'))
    .flatMap((entry) => decodeBase64(entry.slice('v1,'.length)) ?? [])
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function checkTimestamp(timestamp: string, now: Date, toleranceSeconds: number): void {
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0)) {
    throw new RangeError('toleranceSeconds must be a number from 0')
  }
  const nowMs = now.getTime()
  if (Number.isNaN(nowMs)) throw new RangeError('now must be a valid date')
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('invalid_timestamp', 'webhook-timestamp must be seconds since 1970')
  }
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp)
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_old', `the delivery was signed ${ageSeconds} s ago`)
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError('timestamp_too_new', `the delivery was signed ${-ageSeconds} s in the future`)
  }
}

function readEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    const isEvent = typeof event?.event_type === 'string' && typeof event?.metadata?.payload === 'object'
    if (isEvent) return event
  } catch {
    // The error below states the same.
  }
  throw new WebhookVerificationError('invalid_body', 'the body is not an event')
}
