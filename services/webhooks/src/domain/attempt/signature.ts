import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'

const prefix = 'whsec_'

/** The signing secret of a tenant: `whsec_` and base64 of 24 to 32 random bytes (Standard Webhooks). */
export function writeSecret(bytes: Buffer): string {
  if (bytes.length < 24 || bytes.length > 32) throw new Error(`a secret has 24 to 32 bytes, not ${bytes.length}`)
  return prefix + bytes.toString('base64')
}

/** The HMAC key of a signing secret. */
export function createSigningKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'))
}

/** `webhook-signature` of Standard Webhooks 1.0: `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signMessage(
  key: KeyObject,
  message: { id: string; timestampSeconds: number; body: Uint8Array },
): string {
  const hmac = createHmac('sha256', key).update(`${message.id}.${message.timestampSeconds}.`).update(message.body)
  return `v1,${hmac.digest('base64')}`
}
