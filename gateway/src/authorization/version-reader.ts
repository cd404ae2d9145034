import { type KeyObject, randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { urlToHttpOptions } from 'node:url'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import { authorizationEpochEndpoint, authorizationEpochOperation } from '@payments/contracts/authorization-version'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { AuthorizationSource } from './revalidator.ts'

/**
 * Reads the authorization version of one source. Uses node:http instead of the typed client, because this request is
 * the most frequent one; `npm run bench epoch` measures the difference.
 *
 * Throws service_unavailable when a connection has no response after `timeoutMs`, and for a response that is not an authorization version.
 */
export interface VersionReaderOptions {
  readonly service: string
  readonly baseUrl: string
  readonly key: KeyObject
  readonly timeoutMs: number
}

const { method, path } = authorizationEpochEndpoint
const schema = authorizationEpochEndpoint.replies[200]
/** Ten times the size of a response that names a thousand changes. */
const responseBytesMax = 1024 * 1024

export function createVersionReader(options: VersionReaderOptions): AuthorizationSource['readAuthorizationVersion'] {
  const { hostname, port, path: basePath } = urlToHttpOptions(new URL(options.baseUrl))
  const agent = new Agent({ keepAlive: true, maxSockets: 2, timeout: 60_000 })
  const to = { method, hostname, port, agent }
  const prefix = String(basePath).replace(/\/$/, '')
  return async (since) => {
    const target = since === undefined ? path : `${path}?since=${since}`
    const headers = { [assertionHeader]: assertionFor(options, target) }
    try {
      return schema.parse(JSON.parse(await get({ ...to, path: prefix + target, headers }, options.timeoutMs)))
    } catch (cause) {
      const detail = `The ${options.service} service did not report its authorization version`
      throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
    }
  }
}

/**
 * Pauses for the duration of the last read, so a replica occupies an authorization source for half of the time at most.
 * The slower the machine, the more requests share a read. Does not pause below the resolution of a timer.
 */
export function pauseForLastDuration(lastDurationMs: number): Promise<void> | undefined {
  const ms = Math.min(Math.floor(lastDurationMs), pauseMsMax)
  return ms < 1 ? undefined : delay(ms)
}

/** Short compared to a request on a machine where a read takes that long. */
const pauseMsMax = 10

function assertionFor({ service, key }: VersionReaderOptions, target: string): string {
  const assertion = {
    tenantId: null,
    actor: { type: 'service', id: self },
    permissions: [],
    traceId: randomUUID(),
  } as const
  return signAssertion(
    assertion,
    { issuer: self, audience: service, key },
    { method, path: target, operation: authorizationEpochOperation },
  )
}

const self = 'gateway'

/** The body of a 200. Retries once when the server has closed a reused connection. */
function get(options: RequestOptions, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const send = (isFirst: boolean) => {
      const call = request(options)
      const timer = setTimeout(() => call.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs)
      call.on('close', () => clearTimeout(timer))
      call.on('response', (response) => collect(response, resolve, reject))
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (isFirst && call.reusedSocket && error.code === 'ECONNRESET') send(false)
        else reject(error)
      })
      call.end()
    }
    send(true)
  })
}

function collect(response: IncomingMessage, resolve: (text: string) => void, reject: (error: Error) => void): void {
  response.setEncoding('utf8')
  let text = ''
  response.on('data', (chunk: string) => {
    text += chunk
    if (text.length > responseBytesMax) {
      response.destroy(new Error(`the response is larger than ${responseBytesMax} bytes`))
    }
  })
  response.on('error', reject)
  response.on('end', () => {
    if (response.statusCode === 200) resolve(text)
    else reject(new Error(`the response has status ${response.statusCode}`))
  })
}
