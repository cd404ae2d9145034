import { LRUCache } from 'lru-cache'
import type { ClientCredentials, FetchToken } from './token-endpoint.ts'

/** Which config a token is of: another version may have another client. */
export interface TokenOwner {
  readonly id: string
  readonly version: number
}

/**
 * The access tokens of this process, each kept until shortly before it expires. Whoever needs one that is being fetched waits
 * for that; a failed fetch is not remembered. Not promised: that processes share tokens.
 */
export interface Tokens {
  /** Rejects as the fetch does. */
  get(owner: TokenOwner, config: ClientCredentials): Promise<string>
  /** The receiver does not take it: the next `get` fetches another, unless somebody has already. */
  drop(owner: TokenOwner, token: string): void
}

interface Entry {
  readonly token: Promise<string>
  /** Undefined while it is being fetched. */
  value?: string
  /** `performance.now()` from which it is not used. */
  usableUntil: number
}

const keptMax = 10_000

export function createTokens(fetchToken: FetchToken): Tokens {
  const entries = new LRUCache<string, Entry>({ max: keptMax })
  const keyOf = ({ id, version }: TokenOwner) => `${id}/${version}`

  const begin = (key: string, config: ClientCredentials): Entry => {
    const fetched = fetchToken(config)
    const entry: Entry = { token: fetched.then(({ value }) => value), usableUntil: Number.POSITIVE_INFINITY }
    fetched.then(
      ({ value, usableMs }) => Object.assign(entry, { value, usableUntil: performance.now() + usableMs }),
      () => {
        if (entries.peek(key) === entry) entries.delete(key)
      },
    )
    entries.set(key, entry)
    return entry
  }
  return {
    get: (owner, config) => {
      const key = keyOf(owner)
      const known = entries.get(key)
      return (known !== undefined && performance.now() < known.usableUntil ? known : begin(key, config)).token
    },
    drop: (owner, token) => {
      if (entries.peek(keyOf(owner))?.value === token) entries.delete(keyOf(owner))
    },
  }
}
