import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Environment } from '@payments/contracts/grammar/key-value'
import { sessionAudience, sessionIssuer } from '@payments/contracts/grammar/session-value'
import { SignJWT } from 'jose'

export type SessionTokens = ReturnType<typeof sessionTokens>

/**
 * JWTs of sessions (ES256), which the gateway resolves through the session that `sid` names. `keys`: by id, base64 of
 * PKCS #8 DER. Throws for a key that is not of the curve P-256.
 */
export function sessionTokens(environment: Environment, keys: Readonly<Record<string, string>>, current: string) {
  const parsed = Object.entries(keys).map(([kid, encoded]) => ({ kid, key: parsePrivateKey(encoded) }))
  const signing = parsed.find(({ kid }) => kid === current)
  if (signing === undefined) throw new Error('the current key of session tokens is not one of the keys')
  return {
    sign: ({ sessionId, userId, expiresAt }: { sessionId: string; userId: string; expiresAt: Date }) =>
      new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: signing.kid })
        .setIssuer(sessionIssuer(environment))
        .setAudience(sessionAudience)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(expiresAt)
        .sign(signing.key),
    /** RFC 7517. */
    publicKeys: parsed.map(({ kid, key }) => {
      const { x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' })
      return { kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' } as const
    }),
  }
}

/** Whether this is base64 of a private key of the curve P-256, PKCS #8 DER. */
export function isTokenKey(encoded: string): boolean {
  try {
    parsePrivateKey(encoded)
    return true
  } catch {
    // The reason of OpenSSL may contain the bytes.
    return false
  }
}

function parsePrivateKey(encoded: string): KeyObject {
  const key = createPrivateKey({ key: Buffer.from(encoded, 'base64'), format: 'der', type: 'pkcs8' })
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('must be a key of the curve P-256')
  return key
}
