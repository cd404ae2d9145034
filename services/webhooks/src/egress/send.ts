import { isAddress } from '../domain/address.ts'
import { attemptLimits } from '../domain/attempt-limits.ts'
import { type DestinationRules, destinationViolation, hostOf } from '../domain/destination.ts'
import { type AttemptOutcome, classifyStatus, type Timings } from '../domain/outcome.ts'
import { retryAfterMs } from '../domain/retry-after.ts'
import { cachedAddressKinds } from './address-kinds.ts'
import { createAgents, type EgressProxy } from './agents.ts'
import {
  type OutgoingRequest,
  type ReceivedResponse,
  type Shutdown,
  sendRequest,
  type Timestamps,
} from './http-request.ts'
import { type Lookup, lookupThrough, pinnedLookup, rejected, resolve } from './resolve.ts'

/**
 * **What it does.** Sends one attempt: checks the URL, resolves its host, posts the body and reads the response. It
 * returns the outcome of the attempt.
 *
 * **Participants.** domain/destination.ts checks the URL, resolve.ts the addresses. http-request.ts sends. agents.ts
 * provides the connections, which stay open per destination.
 *
 * **Guarantees.** At each attempt all addresses of the host are checked again. A new connection goes to exactly these
 * addresses; Host and SNI keep the name. A reused connection leads to an address that was checked when it was opened.
 * An attempt takes at most 3 s to connect and 10 s to the last byte, and reads at most 16 KiB of the response.
 * Redirects are not followed, bodies are not decompressed. When a reused connection proves to be closed, the
 * request is sent once more on a new connection. A local failure rejects with LocalFailure.
 *
 * **Not guaranteed.** That a receiver sees the request only once: a receiver that fails before it responds may get
 * the request again.
 */
export type Send = (request: SendRequest) => Promise<AttemptOutcome>

export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Added unchanged to the query of the URL, after the URL was checked. */
  readonly query?: string
  /** `performance.now()` at which the attempt ends, when that is before its own limit. */
  readonly deadlineAt?: number
}

export interface SenderOptions extends DestinationRules {
  /** Aborts the attempts in progress as local failures. */
  readonly stop: AbortSignal
  readonly lookup?: Lookup
  readonly proxy?: EgressProxy | undefined
  readonly limits?: Partial<typeof attemptLimits>
}

const agentOptions = {
  keepAlive: true,
  // Many subscriptions may share one host. This is the maximum of attempts in progress.
  maxFreeSockets: 200,
  scheduling: 'lifo',
  timeout: 30_000,
  maxHeaderSize: 16 * 1024,
} as const

export function createSender(options: SenderOptions): { send: Send; close: () => void } {
  const limits = { ...attemptLimits, ...options.limits }
  const shutdown = shutdownOf(options.stop)
  const parse = createDestinationParser(options)
  const agents = createAgents(agentOptions, options.proxy)
  const resolving = { ...options, lookup: options.lookup ?? lookupThrough([]), kindOf: cachedAddressKinds() }

  const post = async (
    { secure, host, port, path, search }: ParsedDestination,
    request: SendRequest,
    addresses: readonly string[],
    deadlineAt: number,
    timestamps: Timestamps,
  ) => {
    const outgoing: OutgoingRequest = {
      secure,
      body: request.body,
      connectTimeoutMs: limits.connectTimeoutMs,
      responseBytesMax: limits.responseBytesMax,
      deadlineAt,
      shutdown,
      options: {
        method: 'POST',
        host,
        port,
        path: `${path}${withQuery(search, request.query)}`,
        headers: { ...request.headers, 'Content-Length': request.body.length },
        agent: secure ? agents.https : agents.http,
        lookup: pinnedLookup(addresses),
      },
    }
    const response = await sendRequest(outgoing, timestamps)
    if (!('stale' in response) || !response.stale) return response
    return sendRequest({ ...outgoing, options: { ...outgoing.options, agent: false } }, timestamps)
  }

  return {
    send: async (request) => {
      const startedAt = new Date()
      const startMs = performance.now()
      const timestamps: Timestamps = { connectedAt: null, securedAt: null, firstByteAt: null }
      const destination = parse(request.url)
      const { url, violation } = destination
      const deadlineAt = Math.min(startMs + limits.totalTimeoutMs, request.deadlineAt ?? Number.POSITIVE_INFINITY)
      const resolved =
        violation === undefined ? await resolve(url, resolving, deadlineAt) : rejected('blocked_address', violation)
      const resolvedAt = performance.now()
      const result: AttemptResult =
        'rejection' in resolved
          ? { ...noResponse, ...resolved.rejection }
          : resultOf(await post(destination, request, resolved.addresses, deadlineAt, timestamps))
      const timings = timingsOf(startMs, destination.isNamed ? resolvedAt : null, timestamps)
      return outcomeOf(startedAt, startMs, result, timings)
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function shutdownOf(signal: AbortSignal): Shutdown {
  const aborts = new Set<() => void>()
  const abortAll = () => {
    for (const abort of aborts) abort()
  }
  signal.addEventListener('abort', abortAll, { once: true })
  return {
    aborts,
    get started() {
      return signal.aborted
    },
  }
}

interface ParsedDestination {
  readonly url: URL
  readonly violation: string | undefined
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly path: string
  readonly search: string
  /** The host is a name, not an address. */
  readonly isNamed: boolean
}

const destinationsMax = 10_000

/** Parses and checks each URL once: the result never changes. The addresses of its host are checked at each attempt. */
function createDestinationParser(rules: DestinationRules): (written: string) => ParsedDestination {
  const cache = new Map<string, ParsedDestination>()
  return (written) => {
    const cached = cache.get(written)
    if (cached !== undefined) return cached
    if (cache.size >= destinationsMax) cache.clear()
    const url = new URL(written)
    const secure = url.protocol === 'https:'
    const destination = {
      url,
      violation: destinationViolation(written, rules),
      secure,
      host: hostOf(url),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      path: url.pathname,
      search: url.search,
      isNamed: !isAddress(hostOf(url)),
    }
    cache.set(written, destination)
    return destination
  }
}

function timingsOf(startMs: number, resolvedAt: number | null, timestamps: Timestamps): Timings {
  const sinceStart = (at: number | null) => (at === null ? null : Math.round(at - startMs))
  return {
    dns_ms: sinceStart(resolvedAt),
    connect_ms: sinceStart(timestamps.connectedAt),
    tls_ms: sinceStart(timestamps.securedAt),
    first_byte_ms: sinceStart(timestamps.firstByteAt),
  }
}

/** Field by field: a spread takes ten times as long. */
function outcomeOf(startedAt: Date, startMs: number, result: AttemptResult, timings: Timings): AttemptOutcome {
  return {
    startedAt,
    durationMs: Math.round(performance.now() - startMs),
    statusCode: result.statusCode,
    errorKind: result.errorKind,
    errorDetail: result.errorDetail,
    responseBody: result.responseBody,
    responseTruncated: result.responseTruncated,
    retryAfterMs: result.retryAfterMs,
    credentialNames: null,
    timings,
  }
}

type AttemptResult = Omit<AttemptOutcome, 'startedAt' | 'durationMs' | 'timings' | 'credentialNames'>

const noResponse = { statusCode: null, responseBody: null, responseTruncated: false, retryAfterMs: null }

function resultOf(response: ReceivedResponse): AttemptResult {
  if ('failure' in response) {
    return {
      ...noResponse,
      statusCode: response.status,
      errorKind: response.failure,
      errorDetail: response.detail,
    }
  }
  const { status, body, truncated, retryAfter } = response
  const { errorKind, errorDetail } = classifyStatus(status)
  return {
    errorKind,
    errorDetail,
    statusCode: status,
    responseBody: body,
    responseTruncated: truncated,
    retryAfterMs: retryAfterMs(status, retryAfter, Date.now()),
  }
}

function withQuery(search: string, added = ''): string {
  if (added === '') return search
  return search === '' ? `?${added}` : `${search}&${added}`
}
