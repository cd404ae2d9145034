import { createHmac, type KeyObject } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { parseJson } from '@payments/contracts/grammar/json'
import axios, { type AxiosResponse } from 'axios'
import { z } from 'zod'
import { acceptedOutcome, type Message, type Provider, refusedOutcome, type SendOutcome, timedOut } from './provider.ts'

export interface HttpOptions {
  readonly url: string
  /** Key of the signature. */
  readonly key: KeyObject
  /** Null without a channel that has one. */
  readonly fromAddress: string | null
}

const connectionsMax = 16
const replyBytesMax = 64 * 1024

const acceptance = z.object({ id: z.string() })
const rejection = z.object({ error: z.string() })

/** Statuses by which the provider refuses the message for good. Every other failure is temporary. */
const refusingStatuses = [400, 422]

/** POSTs messages as JSON, signed as webhook deliveries are (Standard Webhooks). README.md has fields and statuses. */
export function createHttp({ url, key, fromAddress }: HttpOptions): Provider {
  const agentOptions = { keepAlive: true, maxSockets: connectionsMax, timeout: 60_000 }
  const client = axios.create({
    httpAgent: new HttpAgent(agentOptions),
    httpsAgent: new HttpsAgent(agentOptions),
    maxRedirects: 0,
    maxContentLength: replyBytesMax,
    proxy: false,
    responseType: 'text',
    transformResponse: (text: unknown) => text,
    validateStatus: null,
  })
  return {
    name: 'http',
    send: async (message, signal) => {
      const body = Buffer.from(JSON.stringify(requestBody(message, fromAddress)))
      try {
        return readResponse(await client.post(url, body, { headers: signHeaders(key, message.id, body), signal }))
      } catch (error) {
        if (signal.aborted) return timedOut
        if (!axios.isAxiosError(error)) throw error
        return { kind: 'unavailable', reason: error.code ?? 'unknown' }
      }
    },
  }
}

function requestBody(
  { id, tenantId, businessUnitId, communicationType, recipient, content }: Message,
  from: string | null,
) {
  const { fromName, replyTo, subject, text, html } = content
  return {
    id,
    tenant_id: tenantId,
    business_unit_id: businessUnitId,
    communication_type: communicationType,
    recipient,
    from: { name: fromName, address: communicationType === 'EMAIL' ? from : null },
    reply_to: replyTo,
    subject,
    text,
    html,
  }
}

function signHeaders(key: KeyObject, id: string, body: Buffer) {
  const timestamp = Math.floor(Date.now() / 1_000)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return {
    'content-type': 'application/json',
    'idempotency-key': id,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}

/** A reply need not be JSON: its status decides. */
function readResponse({ status, data }: AxiosResponse<unknown>): SendOutcome {
  if (status >= 200 && status < 300) {
    const parsed = acceptance.safeParse(parseJson(String(data)))
    return acceptedOutcome(parsed.success ? parsed.data.id : null)
  }
  if (!refusingStatuses.includes(status)) return { kind: 'unavailable', reason: `HTTP ${status}` }
  const parsed = rejection.safeParse(parseJson(String(data)))
  return refusedOutcome(parsed.success ? parsed.data.error : `HTTP ${status}`)
}
