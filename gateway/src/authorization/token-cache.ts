import { hash } from 'node:crypto'
import { bytesOfTexts, createSizedCache } from '@payments/chassis/base/sized-cache'
import type { TokenIdentity, TokenVerifier } from './jwt-verifier.ts'

/** A token signed with a withdrawn key is accepted for at most this long after the key set dropped the key. */
const cachedMsMax = 60_000

interface VerifiedToken {
  readonly identity: TokenIdentity
  readonly untilMs: number
}

const tokenBytesMax = 16 * 1024 * 1024

/**
 * Caches verified tokens by their SHA-256 until they expire, for a minute at most. The cache holds the verified claims;
 * the caches of roles and sessions hold the permissions. Rejected tokens are not cached, because a client can make any
 * number of them.
 */
export function createTokenCache(
  verifier: TokenVerifier,
  { tokensMax }: { readonly tokensMax: number },
): TokenVerifier {
  const verified = createSizedCache<VerifiedToken>({
    entriesMax: tokensMax,
    bytesMax: tokenBytesMax,
    measureBytes: ({ identity }, digest) => bytesOfTexts(digest, ...listTexts(identity)),
    // The token of a session names no tenant. Such tokens share one quarter.
    readTenantId: ({ identity }) => ('tenantId' in identity ? identity.tenantId : ''),
  })
  return {
    async verify(token) {
      const digest = hash('sha256', token, 'base64')
      const cached = verified.get(digest)
      if (cached !== undefined && Date.now() < cached.untilMs) return cached.identity
      const identity = await verifier.verify(token)
      if (identity === undefined) return undefined
      const untilMs = Math.min(identity.expiresAtMs, Date.now() + cachedMsMax)
      verified.set(digest, { identity, untilMs })
      return identity
    },
  }
}

function listTexts(identity: TokenIdentity): readonly string[] {
  if ('sessionId' in identity) return [identity.subject, identity.sessionId]
  return [identity.tenantId, identity.subject, ...identity.roleNames]
}
