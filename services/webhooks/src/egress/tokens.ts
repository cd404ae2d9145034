import { bytesOfTexts, createSizedCache } from '@payments/chassis/base/sized-cache'
import type { ClientCredentials, FetchToken } from './token-endpoint.ts'

/** The config that a token belongs to. Another version may have another client. */
interface TokenKey {
  readonly id: string
  readonly tenantId: string
  readonly version: number
}

/**
 * The access tokens of this process, one per auth info and `tokenBytesMax` in all, a quarter of them of a tenant.
 * A token is cached until shortly before it expires. Callers share a fetch in progress; a failed fetch is not cached.
 * Not guaranteed: that processes share tokens.
 */
export interface Tokens {
  /** Rejects as the fetch does. */
  get(key: TokenKey, config: ClientCredentials): Promise<string>
  /** Invalidates a token that the receiver rejected: the next `get` fetches one, unless a newer token is cached. */
  invalidate(key: TokenKey, token: string): void
}

interface CachedToken {
  readonly tenantId: string
  readonly version: number
  readonly token: Promise<string>
  /** Undefined during the fetch. */
  value?: string
  /** `performance.now()` until which the token is used. */
  usableUntil: number
}

const tokensMax = 50_000
const tokenBytesMax = 32 * 1024 * 1024

export function createTokens(fetchToken: FetchToken): Tokens {
  const cache = createSizedCache<CachedToken>({
    entriesMax: tokensMax,
    bytesMax: tokenBytesMax,
    measureBytes: ({ value = '' }, id) => bytesOfTexts(id, value),
    readTenantId: ({ tenantId }) => tenantId,
  })

  const fetchAndCache = ({ id, tenantId, version }: TokenKey, config: ClientCredentials): CachedToken => {
    const fetched = fetchToken(config)
    const token = fetched.then(({ value }) => value)
    const entry: CachedToken = { tenantId, version, token, usableUntil: Number.POSITIVE_INFINITY }
    fetched.then(
      ({ value, usableMs }) => {
        if (cache.get(id) !== entry) return
        cache.set(id, { tenantId, version, token, value, usableUntil: performance.now() + usableMs })
      },
      () => {
        if (cache.get(id) === entry) cache.delete(id)
      },
    )
    cache.set(id, entry)
    return entry
  }
  return {
    get: (key, config) => {
      const cached = cache.get(key.id)
      const isUsable = cached?.version === key.version && performance.now() < cached.usableUntil
      return (isUsable ? cached : fetchAndCache(key, config)).token
    },
    invalidate: ({ id, version }, token) => {
      const cached = cache.get(id)
      if (cached?.version === version && cached.value === token) cache.delete(id)
    },
  }
}
