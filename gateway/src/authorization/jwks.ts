import { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createByteCollector } from '@payments/chassis/base/byte-collector'
import { parseForeignJson } from '@payments/chassis/base/foreign-json'
import { inSpan } from '@payments/chassis/observability/trace'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'

/**
 * The public keys of one JWT issuer.
 *
 * - The set is loaded again in the background when it is older than `ageMaxMs`, and when a token names an unknown key.
 *   Loads are at least `cooldownMs` apart, so tokens with made-up key ids cannot cause a flood of requests.
 * - While the issuer is unavailable, the last set stays in use. Before the first load, `find` throws
 *   authorization_unavailable.
 * - A withdrawn key is rejected at the latest `ageMaxMs` and one request after its withdrawal.
 */
export interface KeySet {
  /** The key for the header of a token; undefined when the issuer has no such key. */
  find(header: { alg: string; kid: string }): Promise<KeyObject | undefined>
}

interface KeySetOptions {
  /** Rejects when the set cannot be read. */
  readonly load: () => Promise<JSONWebKeySet>
  readonly onFailure: (error: unknown) => void
  readonly cooldownMs?: number
  readonly ageMaxMs?: number
}

type SelectKey = ReturnType<typeof createLocalJWKSet>

export function createKeySet({ load, onFailure, cooldownMs = 30_000, ageMaxMs = 600_000 }: KeySetOptions): KeySet {
  let selectKey: SelectKey | undefined
  let loadedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  const reload = async (): Promise<void> => {
    triedAt = performance.now()
    try {
      selectKey = createLocalJWKSet(await load())
      loadedAt = performance.now()
    } catch (error) {
      onFailure(error)
    } finally {
      loading = undefined
    }
  }
  /** Joins the load in progress, or starts one after the cool-down. Otherwise does nothing. */
  const refresh = (): Promise<void> => {
    if (loading === undefined && performance.now() - triedAt >= cooldownMs) loading = reload()
    return loading ?? Promise.resolve()
  }

  return {
    async find(header) {
      if (selectKey === undefined) await refresh()
      else if (performance.now() - loadedAt > ageMaxMs) void refresh()
      if (selectKey === undefined) {
        const detail = 'The keys of the token issuer cannot be read at the moment'
        throw new Problem(commonProblems.authorization_unavailable, { detail, retryAfterSeconds: 5 })
      }
      const key = await findKey(selectKey, header)
      if (key !== undefined) return key
      const before = selectKey
      await refresh()
      return selectKey === before ? undefined : findKey(selectKey, header)
    },
  }
}

async function findKey(selectKey: SelectKey, header: { alg: string; kid: string }): Promise<KeyObject | undefined> {
  try {
    return KeyObject.from(await selectKey(header))
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

const bytesMax = 256 * 1024
const loadTimeoutMs = 5_000

export async function loadFile(path: string): Promise<JSONWebKeySet> {
  return parseSet(await readFile(path, 'utf8'))
}

/** Follows no redirects. Reads at most 256 KiB, within `timeoutMs`. */
export function loadUrl(url: string, timeoutMs = loadTimeoutMs): Promise<JSONWebKeySet> {
  const attributes = { 'http.request.method': 'GET', 'server.address': new URL(url).hostname }
  return inSpan('fetch keys of token issuer', { kind: 'client', attributes }, async (add) => {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
    add({ 'http.response.status_code': response.status })
    return readSet(url, response)
  })
}

async function readSet(url: string, response: Response): Promise<JSONWebKeySet> {
  if (!response.ok || response.body === null) throw new Error(`${url} responded with status ${response.status}`)
  const body = createByteCollector(bytesMax)
  for await (const chunk of response.body) {
    if (body.excess(chunk) !== undefined) throw new Error(`${url} responded with more than ${bytesMax} bytes`)
    body.add(chunk)
  }
  return parseSet(body.collected().toString('utf8'))
}

function parseSet(text: string): JSONWebKeySet {
  return parseForeignJson(text) as JSONWebKeySet
}
