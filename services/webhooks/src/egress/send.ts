import { lookup as systemLookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { isAddress } from '../domain/address.ts'
import { attemptLimits } from '../domain/attempt-limits.ts'
import { type DestinationRules, destinationViolation, hostOf, lookupViolation } from '../domain/destination.ts'
import { judgeStatus, type Outcome, type Timings } from '../domain/outcome.ts'
import { retryAfterMs } from '../domain/retry-after.ts'
import { errorKindOf } from './error-kind.ts'
import { type Answer, type Exchange, exchange, type Marks, type Stopping } from './exchange.ts'

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
 * Rejects with OwnFault where the attempt failed for a reason of ours. Not promised: that a receiver that got the request
 * and failed to answer will not get it again.
 */
export type Send = (request: SendRequest) => Promise<Outcome>

export interface SendRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<string[]>

export interface SenderOptions extends DestinationRules {
  /** Gives up the attempts in work, uncharged. */
  readonly stop: AbortSignal
  readonly lookup?: Lookup
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

interface Resolved {
  readonly addresses: readonly string[]
}

interface Refused {
  readonly refused: Pick<Outcome, 'errorKind' | 'errorDetail'>
}

export function createSender(options: SenderOptions): { send: Send; close: () => void } {
  const limits = { ...attemptLimits, ...options.limits }
  const stopping = stoppingBy(options.stop)
  const destinations = createDestinations(options)
  const lookup = options.lookup ?? allAddresses
  const agents = { http: new http.Agent(kept), https: new https.Agent(kept) }

  const post = async (
    url: URL,
    request: SendRequest,
    addresses: readonly string[],
    deadlineAt: number,
    marks: Marks,
  ) => {
    const secure = url.protocol === 'https:'
    const given: Exchange = {
      secure,
      body: request.body,
      connectTimeoutMs: limits.connectTimeoutMs,
      responseBytesMax: limits.responseBytesMax,
      deadlineAt,
      stopping,
      options: {
        method: 'POST',
        host: hostOf(url),
        port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
        path: `${url.pathname}${url.search}`,
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
      const { url, violation } = destinations(request.url)
      const deadlineAt = from + limits.totalTimeoutMs
      const resolved =
        violation === undefined
          ? await resolve(url, { ...options, lookup }, deadlineAt)
          : refusal('blocked_address', violation)
      const resolvedAt = performance.now()
      const came: Came =
        'refused' in resolved
          ? { ...resolved.refused, ...nothing }
          : judge(await post(url, request, resolved.addresses, deadlineAt, marks))
      return {
        startedAt,
        durationMs: Math.round(performance.now() - from),
        ...came,
        timings: timingsOf(from, { ...marks, resolvedAt: isAddress(hostOf(url)) ? null : resolvedAt }),
      }
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
}

const destinationsMax = 10_000

/** Reads and judges a URL once, which always comes to the same; where its name leads is another matter. */
function createDestinations(rules: DestinationRules): (written: string) => ReadDestination {
  const known = new Map<string, ReadDestination>()
  return (written) => {
    const found = known.get(written)
    if (found !== undefined) return found
    if (known.size >= destinationsMax) known.clear()
    const destination = { url: new URL(written), violation: destinationViolation(written, rules) }
    known.set(written, destination)
    return destination
  }
}

async function resolve(
  url: URL,
  options: DestinationRules & { lookup: Lookup },
  deadlineAt: number,
): Promise<Resolved | Refused> {
  const host = hostOf(url)
  const found = isAddress(host) ? [host] : await lookUp(options.lookup, host, deadlineAt)
  if ('refused' in found) return found
  const violation = lookupViolation(found, options)
  return violation === undefined ? { addresses: found } : refusal('blocked_address', violation)
}

function timingsOf(from: number, marks: Marks & { resolvedAt: number | null }): Timings {
  const since = (at: number | null) => (at === null ? null : Math.round(at - from))
  return {
    dns_ms: since(marks.resolvedAt),
    connect_ms: since(marks.connectedAt),
    tls_ms: since(marks.securedAt),
    first_byte_ms: since(marks.firstByteAt),
  }
}

type Came = Omit<Outcome, 'startedAt' | 'durationMs' | 'timings'>

const nothing = { statusCode: null, responseBody: null, responseTruncated: false, retryAfterMs: null }

function judge(answer: Answer): Came {
  if ('failure' in answer) {
    return {
      ...nothing,
      statusCode: answer.status,
      errorKind: answer.failure,
      errorDetail: storable(answer.detail),
    }
  }
  const { status, body, truncated, retryAfter } = answer
  return {
    ...judgeStatus(status),
    statusCode: status,
    responseBody: body,
    responseTruncated: truncated,
    retryAfterMs: retryAfterMs(status, retryAfter, Date.now()),
  }
}

function refusal(errorKind: NonNullable<Outcome['errorKind']>, errorDetail: string): Refused {
  return { refused: { errorKind, errorDetail: storable(errorDetail) } }
}

/** Errors quote what came from outside, a certificate for one; PostgreSQL takes neither NUL nor half a character. */
const storable = (detail: string) => Buffer.from(detail.slice(0, 500).replaceAll('\0', '')).toString()

async function allAddresses(host: string): Promise<string[]> {
  const found = await systemLookup(host, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

async function lookUp(lookup: Lookup, host: string, deadlineAt: number): Promise<string[] | Refused> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<Refused>((resolve) => {
    const waitMs = Math.max(0, deadlineAt - performance.now())
    timer = setTimeout(() => resolve(refusal('timeout', 'the name was not resolved in time')), waitMs)
  })
  try {
    return await Promise.race([lookup(host), overdue])
  } catch (error) {
    // Asked for what it throws: whatever else goes wrong in a look-up is the name's fault.
    errorKindOf(error, { connected: false })
    return refusal('dns', error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(timer)
  }
}

/** The look-up that was done and judged, given to the connection in place of another. */
function vetted(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, { all }, callback) => {
    const first = found[0]
    if (all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}
