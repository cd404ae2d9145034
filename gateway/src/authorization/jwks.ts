import { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

/**
 * The public keys of one issuer of JWTs.
 *
 * - A set is read again when it is older than `ageMaxMs`, in the background, and when a token names a key that is not in
 *   it; never more often than every `cooldownMs`, so that made-up key ids cannot be turned into a storm of requests.
 * - While the issuer is out, the last set goes on serving. Before there is any, the answer is authorization_unavailable.
 * - A key that the issuer has withdrawn is refused at the latest `ageMaxMs` and one request after.
 */
export interface KeySet {
  /** The key for a token's header, or undefined where the issuer has none. */
  find(header: { alg: string; kid: string }): Promise<KeyObject | undefined>
}

interface KeySetOptions {
  /** Rejects where the set cannot be read. */
  readonly load: () => Promise<JSONWebKeySet>
  readonly onFailure: (error: unknown) => void
  readonly cooldownMs?: number
  readonly ageMaxMs?: number
}

type Resolve = ReturnType<typeof createLocalJWKSet>

export function createKeySet({ load, onFailure, cooldownMs = 30_000, ageMaxMs = 600_000 }: KeySetOptions): KeySet {
  let resolve: Resolve | undefined
  let loadedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  const reload = async (): Promise<void> => {
    triedAt = performance.now()
    try {
      resolve = createLocalJWKSet(await load())
      loadedAt = performance.now()
    } catch (error) {
      onFailure(error)
    } finally {
      loading = undefined
    }
  }
  /** Joins a reading under way, begins one when the last is long enough ago, else does nothing. */
  const refresh = (): Promise<void> => {
    if (loading === undefined && performance.now() - triedAt >= cooldownMs) loading = reload()
    return loading ?? Promise.resolve()
  }

  return {
    async find(header) {
      if (resolve === undefined) await refresh()
      else if (performance.now() - loadedAt > ageMaxMs) void refresh()
      if (resolve === undefined) throw new Problem(commonProblems.authorization_unavailable, { retryAfterSeconds: 5 })
      const key = await look(resolve, header)
      if (key !== undefined) return key
      const before = resolve
      await refresh()
      return resolve === before ? undefined : look(resolve, header)
    },
  }
}

async function look(resolve: Resolve, header: { alg: string; kid: string }): Promise<KeyObject | undefined> {
  try {
    return KeyObject.from(await resolve(header))
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

const bytesMax = 256 * 1024
const loadTimeoutMs = 5_000

export async function loadFile(path: string): Promise<JSONWebKeySet> {
  return JSON.parse(await readFile(path, 'utf8')) as JSONWebKeySet
}

/** No redirects, at most 256 KiB, within 5 s. */
export async function loadUrl(url: string, timeoutMs = loadTimeoutMs): Promise<JSONWebKeySet> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new Error(`${url} answered more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet
}
