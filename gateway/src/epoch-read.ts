import type { KeyObject } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { assertionHeader, signAssertion } from '@payments/chassis/assertion'
import { newId } from '@payments/chassis/id'
import { authorizationEpochEndpoint } from '@payments/contracts/epoch'
import { commonProblems, Problem } from '@payments/contracts/problem'
import type { EpochOwner } from './epoch.ts'

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

export function epochRead(source: EpochSource): EpochOwner['readEpoch'] {
  const agent = new Agent({ keepAlive: true, maxSockets: 2, timeout: 60_000 })
  return async (since) => {
    const target = since === undefined ? path : `${path}?since=${since}`
    try {
      return reply.parse(JSON.parse(await get(source, agent, target)))
    } catch (cause) {
      const detail = `The ${source.service} service cannot be reached at the moment`
      throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 1, cause })
    }
  }
}

function signed({ service, key }: EpochSource, target: string): string {
  const assertion = { tenantId: null, actor: { type: 'service', id: self }, permissions: [], traceId: newId() } as const
  return signAssertion(assertion, { issuer: self, audience: service, key }, { method, path: target })
}

const self = 'gateway'

/** The body of a 200. Asks once more where a kept connection turns out to have been closed by the other end. */
function get(source: EpochSource, agent: Agent, target: string): Promise<string> {
  const headers = { [assertionHeader]: signed(source, target) }
  return new Promise((resolve, reject) => {
    const ask = (isFirst: boolean) => {
      const call = request(source.baseUrl + target, { method, agent, headers })
      const timer = setTimeout(() => call.destroy(new Error('no answer in time')), source.timeoutMs)
      call.on('close', () => clearTimeout(timer))
      call.on('response', (response) => collect(response).then(resolve, reject))
      call.on('error', (error: NodeJS.ErrnoException) => {
        if (isFirst && call.reusedSocket && error.code === 'ECONNRESET') ask(false)
        else reject(error)
      })
      call.end()
    }
    ask(true)
  })
}

async function collect(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const chunk of response) {
    text += chunk
    if (text.length > replyBytesMax) throw new Error(`answered more than ${replyBytesMax} bytes`)
  }
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
  return text
}
