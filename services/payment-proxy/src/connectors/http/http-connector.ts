import { randomUUID } from 'node:crypto'
import type { HttpClient } from '@payments/egress/http-client'
import type { Outcome } from '../../domain/outcome.ts'
import type { Account, Connector, PaymentDetails, WebhookReading, WebhookRequest } from '../connector.ts'
import {
  callProvider,
  type HttpRequest,
  isSuccess,
  noOutcome,
  read,
  toCheckReason,
  toOutcome,
  withoutEndSlashes,
} from '../provider-http.ts'
import { hmacSha256, isRecent, isSignedBy, parseJson } from '../signature.ts'
import { isNotFound, type ProtocolVersion, parseEvent, parseOutcome, parseReport } from './protocol.ts'

/**
 * **What it does.** Calls a payment provider through an adapter outside of this repository, by the signed JSON protocol
 * of docs/connectors.md.
 *
 * **Guarantees.** Every request is signed with the secret of the payment orchestrator. Only a response of the declared
 * form has an outcome. An operation is `not_attempted` when no byte of its request was sent, when the adapter rejected
 * the signature or the rate, or, in a sync, when the adapter never received it.
 *
 * **Not guaranteed.** Correct outcomes from an adapter that breaks the guarantees of docs/connectors.md.
 */
export function createHttpConnector(client: HttpClient): Connector {
  return {
    type: 'http',
    passesGates: true,
    recognizes: (token) => /^[\x21-\x7e]{1,255}$/.test(token),
    execute: async (command, signal) => {
      const { account, operationId, type, paymentDetails } = command
      const version = readVersion(account)
      const body = {
        operation_id: operationId,
        type,
        amount: command.amount,
        currency: command.currency,
        authorization_id: command.authorizationId,
        authorization_reference: command.authorizationReference,
        ...(type === 'capture' ? { amount_released: command.amountReleased } : {}),
        ...(paymentDetails === undefined ? {} : paymentMembers(paymentDetails, version)),
      }
      const request = signRequest(account, 'POST', '/operations', '', Buffer.from(JSON.stringify(body)))
      return toOutcome(await callProvider(client, request, signal), ({ status, body: reply }) => {
        if (hasOperation(status)) return parseOutcome(reply, operationId, version)
        throw noOutcome(status)
      })
    },
    sync: async ({ account, operationId }, signal) => {
      const { status, body } = await read(client, signRequest(account, 'GET', `/operations/${operationId}`), signal)
      return readOutcome(status, body, operationId, readVersion(account))
    },
    // Only an adapter of version 2 has an operation to cancel, whatever the setting has become since.
    cancel: async ({ account, operationId, reason }, signal) => {
      const sent = Buffer.from(JSON.stringify({ reason }))
      const request = signRequest(account, 'POST', `/operations/${operationId}/cancel`, '', sent, 2)
      const { status, body } = await read(client, request, signal)
      return readOutcome(status, body, operationId, 2)
    },
    check: async (account, signal) => {
      const to = new Date()
      const query = windowQuery(new Date(to.getTime() - checkedMs), to)
      const request = signRequest(account, 'GET', '/operations', query.toString())
      return toCheckReason(await callProvider(client, request, signal), parseReport)
    },
    parseWebhook: readWebhook,
    listOperations: async (account, { from, to, cursor }, signal) => {
      const query = windowQuery(from, to)
      if (cursor !== null) query.set('cursor', cursor)
      const { status, body } = await read(client, signRequest(account, 'GET', '/operations', query.toString()), signal)
      if (!isSuccess(status)) throw new Error(`the provider responded with ${status}`)
      return parseReport(body)
    },
  }
}

function paymentMembers({ paymentMethod, token, returnUrl }: PaymentDetails, version: ProtocolVersion) {
  const members = { payment_method: paymentMethod, token }
  return version === 2 ? { ...members, return_url: returnUrl } : members
}

/** A check lists the operations of the last second. */
const checkedMs = 1_000

const windowQuery = (from: Date, to: Date) =>
  new URLSearchParams({ received_from: from.toISOString(), received_to: to.toISOString() })

/** Whether the response has the operation. 402: it is declined. */
const hasOperation = (status: number) => isSuccess(status) || status === 402

/** The outcome in the response to a read or a cancellation. Throws for a response without one. */
function readOutcome(status: number, body: unknown, operationId: string, version: ProtocolVersion): Outcome {
  if (hasOperation(status)) return parseOutcome(body, operationId, version)
  if (isNotFound(status, body)) return { kind: 'not_attempted', reason: 'the provider never received the operation' }
  throw noOutcome(status)
}

/** The version that the adapter speaks, as business-unit has checked it. */
function readVersion({ settings }: Account): ProtocolVersion {
  return settings['protocol_version'] === 2 ? 2 : 1
}

/** A request with the headers of its signature: `id.timestamp.method.path.body`, the path with its query. */
function signRequest(
  account: Account,
  method: 'GET' | 'POST',
  path: string,
  query = '',
  body?: Buffer,
  version = readVersion(account),
): HttpRequest {
  const { gatewayUrl, credentials } = account
  const { key_id: keyId = '', secret = '' } = credentials
  if (gatewayUrl === null || secret === '') throw new Error('the payment orchestrator has no gateway_url or secret')
  const url = new URL(gatewayUrl)
  url.pathname = `${withoutEndSlashes(url.pathname)}${path}`
  url.search = query
  const id = randomUUID()
  const timestamp = String(Math.floor(Date.now() / 1000))
  const content = `${id}.${timestamp}.${method}.${url.pathname}${url.search}.${body?.toString('utf8') ?? ''}`
  const headers = {
    Accept: 'application/json',
    'Connector-Key-Id': keyId,
    'Connector-Request-Id': id,
    'Connector-Timestamp': timestamp,
    'Connector-Signature': `v1,${hmacSha256(secret, content).toString('base64')}`,
    // Not part of the signature: an adapter of version 1 verifies what it always has.
    ...(version === 1 ? {} : { 'Connector-Protocol-Version': String(version) }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
  return { method, url: url.href, headers, ...(body === undefined ? {} : { body }) }
}

const signaturesMax = 10

/** The signature of Standard Webhooks: `id.timestamp.body`, with the bytes of the secret as key. */
function readWebhook(account: Account, { headers, body, receivedAt }: WebhookRequest): WebhookReading {
  const { 'webhook-id': eventId = '', 'webhook-timestamp': timestamp, 'webhook-signature': written = '' } = headers
  const { secret = '' } = account.credentials
  if (secret === '') return { kind: 'rejected', reason: 'the payment orchestrator has no secret' }
  if (!/^[\x21-\x7e]{1,200}$/.test(eventId)) return { kind: 'rejected', reason: 'webhook-id is missing' }
  if (!isRecent(timestamp, receivedAt)) return { kind: 'rejected', reason: 'webhook-timestamp is missing or too old' }
  const signatures = written
    .split(' ', signaturesMax)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []))
  const content = Buffer.concat([Buffer.from(`${eventId}.${timestamp}.`), body])
  if (!isSignedBy(hmacSha256(secret, content), signatures)) {
    return { kind: 'rejected', reason: 'webhook-signature is not valid' }
  }
  const event = parseEvent(parseJson(body), readVersion(account))
  if (event === null) return { kind: 'rejected', reason: 'the body is no event' }
  if (event === 'ignored') return { kind: 'ignored', eventId }
  const { operationId, outcome } = event
  return { kind: 'event', event: { eventId, operationId, providerReference: outcome.providerReference, outcome } }
}
