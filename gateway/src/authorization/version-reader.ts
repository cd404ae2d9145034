import { type KeyObject, randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { urlToHttpOptions } from 'node:url'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import { authorizationEpochEndpoint, authorizationEpochOperation } from '@payments/contracts/authorization-version'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { EpochOwner } from './revalidator.ts'

/**
 * Reads the authorization epoch of one owner: what the typed client does, for the one question that is asked all the time, by plain
 * node:http. `pnpm bench epoch` says what that saves.
 *
 * Throws service_unavailable where the owner does not answer in time, or with anything but an epoch.
 */
export interface EpochSource {
  readonly service: string
  readonly baseUrl: string
  readonly key: KeyObject
  readonly timeoutMs: number
}

const { method, path } = authorizationEpochEndpoint
const reply = authorizationEpochEndpoint.replies[200]
/** A thousand changes named take a tenth of it. */
const replyBytesMax = 1024 * 1024

export function epochRead(source: EpochSource): EpochOwner['readAuthorizationVersion'] {
  const { hostname, port, path: prefix } = urlToHttpOptions(new URL(source.baseUrl))
  const agent = new Agent({ keepAlive: true, maxSockets: 2, timeout: 60_000 })
  const to = { method, hostname, port, agent }
  const under = String(prefix).replace(/\/$/, '')
  return async (since) => {
    const target = since === undefined ? path : `${path}?since=${since}`
    const headers = { [assertionHeader]: signed(source, target) }
    try {
      return reply.parse(JSON.parse(await get({ ...to, path: under + target, headers }, source.timeoutMs)))
    } catch (cause) {
      const detail = `The ${source.service} service cannot be reached at the moment`
      throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
    }
  }
}

/**
 * As long again as the read has taken, so a replica keeps an owner busy for half of the time at most, and the busier the machine the
 * more requests share a read. Not for less than a timer can tell.
 */
export function asLongAgain(tookMs: number): Promise<void> | undefined {
  const ms = Math.min(Math.floor(tookMs), pauseMsMax)
  return ms < 1 ? undefined : delay(ms)
}

/** Little beside what a request takes on a machine where a read takes that long. */
const pauseMsMax = 10

function signed({ service, key }: EpochSource, target: string): string {
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

/** The body of a 200. Asks once more where a kept connection turns out to have been closed by the other end. */
function get(options: RequestOptions, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const ask = (isFirst: boolean) => {
      const call = request(options)
      const timer = setTimeout(() => call.destroy(new Error('no answer in time')), timeoutMs)
      call.on('close', () => clearTimeout(timer))
      call.on('response', (response) => collect(response, resolve, reject))
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (isFirst && call.reusedSocket && error.code === 'ECONNRESET') ask(false)
        else reject(error)
      })
      call.end()
    }
    ask(true)
  })
}

function collect(response: IncomingMessage, resolve: (text: string) => void, reject: (error: Error) => void): void {
  response.setEncoding('utf8')
  let text = ''
  response.on('data', (chunk: string) => {
    text += chunk
    if (text.length > replyBytesMax) response.destroy(new Error(`answered more than ${replyBytesMax} bytes`))
  })
  response.on('error', reject)
  response.on('end', () => {
    if (response.statusCode === 200) resolve(text)
    else reject(new Error(`answered ${response.statusCode}`))
  })
}
