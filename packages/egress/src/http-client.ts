import { isAddress } from './address.ts'
import { createAgents, type EgressProxy } from './agents.ts'
import { type DestinationRules, destinationViolation, readHost } from './destination.ts'
import { type OutgoingRequest, type ReceivedResponse, sendRequest, type Timestamps } from './http-request.ts'
import { LocalFailure } from './local-failure.ts'
import { createRejection, type Lookup, lookupThrough, pinnedLookup, resolve } from './resolve.ts'

/**
 * **What it does.** Sends requests to the URLs of tenants: checks the URL, resolves its host, sends the request and
 * reads the response.
 *
 * **Guarantees.** At each request all addresses of the host are checked. A new connection goes to exactly these; Host
 * and SNI keep the name. A request ends at its deadline, and at most `responseBytesMax` are read. Redirects are not
 * followed, bodies not decompressed. A failure states whether a part of the request may have been sent; one of this
 * process rejects with LocalFailure.
 *
 * **Not guaranteed.** One arrival: when a reused connection proves to be closed, the request is sent once more.
 */
export interface HttpClient {
  /** Writes the time of each completed step to `timestamps`. */
  request(request: HttpRequest, timestamps?: Timestamps): Promise<ReceivedResponse>
  close(): void
}

interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Added unchanged to the query of the URL, after the URL was checked. */
  readonly query?: string | undefined
  readonly connectTimeoutMs: number
  readonly responseBytesMax: number
  /** `performance.now()` at which the request ends at the latest. */
  readonly deadlineAt: number
  /** Ends the request like its deadline. */
  readonly signal?: AbortSignal
}

export interface HttpClientOptions extends DestinationRules {
  /** Aborts the requests in progress as local failures. */
  readonly stop?: AbortSignal
  readonly lookup?: Lookup
  readonly proxy?: EgressProxy | undefined
}

const agentOptions = {
  keepAlive: true,
  // Many URLs may share one host.
  maxFreeSockets: 200,
  scheduling: 'lifo',
  timeout: 30_000,
  maxHeaderSize: 16 * 1024,
} as const

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const agents = createAgents(agentOptions, options.proxy)
  const resolving = { ...options, lookup: options.lookup ?? lookupThrough([]) }

  const send = async (url: URL, request: HttpRequest, addresses: readonly string[], timestamps: Timestamps) => {
    const { method, body, headers, query, ...limits } = request
    const secure = url.protocol === 'https:'
    const outgoing: OutgoingRequest = {
      ...limits,
      secure,
      body,
      stop: options.stop,
      options: {
        method,
        host: readHost(url),
        port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
        path: `${url.pathname}${withQuery(url.search, query)}`,
        headers: body === undefined ? headers : { ...headers, 'Content-Length': body.length },
        agent: secure ? agents.https : agents.http,
        lookup: pinnedLookup(addresses),
      },
    }
    const response = await sendRequest(outgoing, timestamps)
    if (!('stale' in response) || !response.stale) return response
    return sendAgain({ ...outgoing, options: { ...outgoing.options, agent: false } }, timestamps)
  }

  return {
    request: async (request, timestamps = noTimestamps()) => {
      const url = new URL(request.url)
      const violation = destinationViolation(request.url, options)
      const resolved =
        violation === undefined
          ? await resolve(url, resolving, request.deadlineAt)
          : createRejection('blocked_address', violation)
      timestamps.resolvedAt = isAddress(readHost(url)) ? null : performance.now()
      if (!('rejection' in resolved)) return send(url, request, resolved.addresses, timestamps)
      const { errorKind, errorDetail } = resolved.rejection
      return { failure: errorKind, detail: errorDetail, sent: false, status: null, stale: false }
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** Sends a request of which a part may have been sent before. */
async function sendAgain(outgoing: OutgoingRequest, timestamps: Timestamps): Promise<ReceivedResponse> {
  try {
    const response = await sendRequest(outgoing, timestamps)
    return 'failure' in response ? { ...response, sent: true } : { ...response, resent: true }
  } catch (error) {
    if (error instanceof LocalFailure) error.sent = true
    throw error
  }
}

export function noTimestamps(): Timestamps {
  return { resolvedAt: null, connectedAt: null, securedAt: null, firstByteAt: null }
}

function withQuery(search: string, added = ''): string {
  if (added === '') return search
  return search === '' ? `?${added}` : `${search}&${added}`
}
