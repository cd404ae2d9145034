import { LRUCache } from 'lru-cache'
import type { ClientCredentials, FetchToken } from './token-endpoint.ts'

/** The config that a token belongs to. Another version may have another client. */
interface TokenKey {
  readonly id: string
  readonly version: number
}

/**
 * The access tokens of this process. A token is cached until shortly before it expires. Callers share a fetch in
 * progress; a failed fetch is not cached. Not guaranteed: that processes share tokens.
 */
export interface Tokens {
  /** Rejects as the fetch does. */
  get(key: TokenKey, config: ClientCredentials): Promise<string>
  /** Invalidates a token that the receiver rejected: the next `get` fetches one, unless a newer token is cached. */
  invalidate(key: TokenKey, token: string): void
}

interface CachedToken {
  readonly token: Promise<string>
  /** Undefined during the fetch. */
  value?: string
  /** `performance.now()` until which the token is used. */
  usableUntil: number
}

const tokensMax = 10_000

export function createTokens(fetchToken: FetchToken): Tokens {
  const cache = new LRUCache<string, CachedToken>({ max: tokensMax })
  const nameOf = ({ id, version }: TokenKey) => `${id}/${version}`

  const fetchAndCache = (name: string, config: ClientCredentials): CachedToken => {
    const fetched = fetchToken(config)
    const entry: CachedToken = { token: fetched.then(({ value }) => value), usableUntil: Number.POSITIVE_INFINITY }
    fetched.then(
      ({ value, usableMs }) => Object.assign(entry, { value, usableUntil: performance.now() + usableMs }),
      () => {
        if (cache.peek(name) === entry) cache.delete(name)
      },
    )
    cache.set(name, entry)
    return entry
  }
  return {
    get: (key, config) => {
      const name = nameOf(key)
      const cached = cache.get(name)
      const isUsable = cached !== undefined && performance.now() < cached.usableUntil
      return (isUsable ? cached : fetchAndCache(name, config)).token
    },
    invalidate: (key, token) => {
      if (cache.peek(nameOf(key))?.value === token) cache.delete(nameOf(key))
    },
  }
}
