import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { TokenIdentity, TokenVerifier } from './jwt-verifier.ts'

/** A token whose issuer has withdrawn its key is refused so much later than the key set knows. */
const rememberedMsMax = 60_000

interface Verified {
  readonly identity: TokenIdentity
  readonly untilMs: number
}

/**
 * Remembers good tokens by their SHA-256, until they expire and for a minute at most: what was verified is the signature, and what the
 * token says of itself. What its roles grant is another matter. Bad tokens are not remembered: anyone can make another.
 */
export function rememberTokens(verifier: TokenVerifier, { tokensMax }: { readonly tokensMax: number }): TokenVerifier {
  const remembered = new LRUCache<string, Verified>({ max: tokensMax })
  return {
    async verify(token) {
      const digest = hash('sha256', token, 'base64')
      const known = remembered.get(digest)
      if (known !== undefined && Date.now() < known.untilMs) return known.identity
      const identity = await verifier.verify(token)
      if (identity === undefined) return undefined
      const untilMs = Math.min(identity.expiresAtMs, Date.now() + rememberedMsMax)
      remembered.set(digest, { identity, untilMs })
      return identity
    },
  }
}
