import { isAddress } from '../domain/address.ts'
import { attemptLimits } from '../domain/attempt-limits.ts'
import { type DestinationRules, destinationViolation, hostOf } from '../domain/destination.ts'
import { judgeStatus, type Outcome, type Timings } from '../domain/outcome.ts'
import { retryAfterMs } from '../domain/retry-after.ts'
import { createAgents, type EgressProxy } from './agents.ts'
import { type Answer, type Exchange, exchange, type Marks, type Stopping } from './http-request.ts'
import { type Lookup, lookupThrough, refusal, resolve, vetted } from './resolve.ts'

/**
 * The one function that sends an attempt.
 *
 * Before each attempt the destination is judged anew and its name looked up: all its addresses must be allowed, and the
 * connection goes to those very addresses (the request keeps the name, so Host and SNI are right). An address written in the
 * URL is judged itself, since no look-up happens for it. Connections are kept alive per destination; a kept one leads to an
 * address that was judged when it was made.
 *
 * Bounds: 3 s to connect, 10 s from the start to the last byte, 16 KiB of the answer. Redirects are not followed, bodies not
 * decompressed. Where a kept connection turns out to be closed, the request is sent once more on a new one.
 * Rejects with LocalFailure where the attempt failed for a reason of ours. Not promised: that a receiver that got the request
 * and failed to answer will not get it again.
 */
export type Send = (request: SendRequest) => Promise<Outcome>

export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Added to the URL's query as it stands, after the URL was judged. */
  readonly query?: string
  /** `performance.now()` at which all must be over, where that is before the attempt's own limit. */
  readonly deadlineAt?: number
}

export interface SenderOptions extends DestinationRules {
  /** Gives up the attempts in work, uncharged. */
  readonly stop: AbortSignal
  readonly lookup?: Lookup
  readonly proxy?: EgressProxy | undefined
  readonly limits?: Partial<typeof attemptLimits>
}

const kept = {
  keepAlive: true,
  // Many subscriptions may lead to one host; as many as there can be attempts in work.
  maxFreeSockets: 200,
  scheduling: 'lifo',
  timeout: 30_000,
  maxHeaderSize: 16 * 1024,
} as const

export function createSender(options: SenderOptions): { send: Send; close: () => void } {
  const limits = { ...attemptLimits, ...options.limits }
  const stopping = stoppingBy(options.stop)
  const destinations = readDestinations(options)
  const lookup = options.lookup ?? lookupThrough([])
  const agents = createAgents(kept, options.proxy)

  const resolving = { ...options, lookup }

  const post = async (
    { secure, host, port, path, search }: ReadDestination,
    request: SendRequest,
    addresses: readonly string[],
    deadlineAt: number,
    marks: Marks,
  ) => {
    const given: Exchange = {
      secure,
      body: request.body,
      connectTimeoutMs: limits.connectTimeoutMs,
      responseBytesMax: limits.responseBytesMax,
      deadlineAt,
      stopping,
      options: {
        method: 'POST',
        host,
        port,
        path: `${path}${withQuery(search, request.query)}`,
        headers: { ...request.headers, 'Content-Length': request.body.length },
        agent: secure ? agents.https : agents.http,
        lookup: vetted(addresses),
      },
    }
    const answer = await exchange(given, marks)
    if (!('stale' in answer) || !answer.stale) return answer
    return exchange({ ...given, options: { ...given.options, agent: false } }, marks)
  }

  return {
    send: async (request) => {
      const startedAt = new Date()
      const from = performance.now()
      const marks: Marks = { connectedAt: null, securedAt: null, firstByteAt: null }
      const destination = destinations(request.url)
      const { url, violation } = destination
      const deadlineAt = Math.min(from + limits.totalTimeoutMs, request.deadlineAt ?? Number.POSITIVE_INFINITY)
      const resolved =
        violation === undefined ? await resolve(url, resolving, deadlineAt) : refusal('blocked_address', violation)
      const resolvedAt = performance.now()
      const came: Came =
        'refused' in resolved
          ? { ...resolved.refused, ...nothing }
          : judge(await post(destination, request, resolved.addresses, deadlineAt, marks))
      return outcomeOf(startedAt, from, came, timingsOf(from, destination.isNamed ? resolvedAt : null, marks))
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function stoppingBy(signal: AbortSignal): Stopping {
  const giveUp = new Set<() => void>()
  const stop = () => {
    for (const one of giveUp) one()
  }
  signal.addEventListener('abort', stop, { once: true })
  return {
    giveUp,
    get begun() {
      return signal.aborted
    },
  }
}

interface ReadDestination {
  readonly url: URL
  readonly violation: string | undefined
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly path: string
  readonly search: string
  /** By a name and not by an address. */
  readonly isNamed: boolean
}

const destinationsMax = 10_000

/** Reads and judges a URL once, which always comes to the same; where its name leads is another matter. */
function readDestinations(rules: DestinationRules): (written: string) => ReadDestination {
  const known = new Map<string, ReadDestination>()
  return (written) => {
    const found = known.get(written)
    if (found !== undefined) return found
    if (known.size >= destinationsMax) known.clear()
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
    known.set(written, destination)
    return destination
  }
}

function timingsOf(from: number, resolvedAt: number | null, marks: Marks): Timings {
  const since = (at: number | null) => (at === null ? null : Math.round(at - from))
  return {
    dns_ms: since(resolvedAt),
    connect_ms: since(marks.connectedAt),
    tls_ms: since(marks.securedAt),
    first_byte_ms: since(marks.firstByteAt),
  }
}

/** Field by field, which costs a tenth of taking them over together. */
function outcomeOf(startedAt: Date, from: number, came: Came, timings: Timings): Outcome {
  return {
    startedAt,
    durationMs: Math.round(performance.now() - from),
    statusCode: came.statusCode,
    errorKind: came.errorKind,
    errorDetail: came.errorDetail,
    responseBody: came.responseBody,
    responseTruncated: came.responseTruncated,
    retryAfterMs: came.retryAfterMs,
    credentialNames: null,
    timings,
  }
}

type Came = Omit<Outcome, 'startedAt' | 'durationMs' | 'timings' | 'credentialNames'>

const nothing = { statusCode: null, responseBody: null, responseTruncated: false, retryAfterMs: null }

function judge(answer: Answer): Came {
  if ('failure' in answer) {
    return {
      ...nothing,
      statusCode: answer.status,
      errorKind: answer.failure,
      errorDetail: answer.detail,
    }
  }
  const { status, body, truncated, retryAfter } = answer
  const { errorKind, errorDetail } = judgeStatus(status)
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
