import type { Log } from '@payments/chassis/log'
import type { Operation } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Connector, FollowUp, PaymentDetails } from './connector.ts'

/** One request to a payment provider about one operation. */
export interface ProviderRequest {
  readonly operation: Operation
  readonly currency: string
  readonly authorizationId: string
  /** authorize, follow_up: execute the operation · sync: read its outcome. */
  readonly kind:
    | ({ readonly do: 'authorize' } & PaymentDetails)
    | { readonly do: 'follow_up' }
    | { readonly do: 'sync' }
}

export interface Provider {
  recognizes(token: string): boolean
  /** Never throws. */
  send(request: ProviderRequest): Promise<Outcome>
}

/**
 * Calls a connector with a time-out. A throw, a time-out and a response with another amount or currency become the
 * outcome `unknown`. Writes one log line per request.
 */
export function createProvider(connector: Connector, timeoutMs: number, log: Log): Provider {
  const send = async (request: ProviderRequest): Promise<Outcome> => {
    const { operation, currency, kind } = request
    const startedAt = performance.now()
    const { outcome, err } = await callWithTimeout(connector, request, timeoutMs)
    const checked = requireSameAmount(outcome, operation.amount, currency)
    log.info(
      {
        trace_id: operation.traceId,
        connector: connector.type,
        request: kind.do,
        operation: operation.type,
        operation_id: operation.id,
        outcome: checked.kind,
        reason: 'reason' in checked ? checked.reason : undefined,
        duration_ms: Math.round(performance.now() - startedAt),
        err,
      },
      'provider request',
    )
    return checked
  }
  return { recognizes: (token) => connector.recognizes(token), send }
}

async function callWithTimeout(
  connector: Connector,
  request: ProviderRequest,
  timeoutMs: number,
): Promise<{ outcome: Outcome; err?: unknown }> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<{ outcome: Outcome }>((resolve) => {
    timer = setTimeout(() => {
      deadline.abort()
      resolve({ outcome: { kind: 'unknown', reason: `no response within ${timeoutMs} ms` } })
    }, timeoutMs)
  })
  try {
    const response = callConnector(connector, request, deadline.signal).then((outcome) => ({ outcome }))
    return await Promise.race([response, timeout])
  } catch (err) {
    return { outcome: { kind: 'unknown', reason: 'the connector failed' }, err }
  } finally {
    clearTimeout(timer)
  }
}

async function callConnector(connector: Connector, request: ProviderRequest, signal: AbortSignal): Promise<Outcome> {
  const { operation, currency, authorizationId, kind } = request
  const { id: operationId, tenantId, type, amount, amountReleased } = operation
  const command: FollowUp = { operationId, tenantId, amount, currency, authorizationId }
  if (kind.do === 'sync') return connector.sync({ ...command, type }, signal)
  if (kind.do === 'authorize')
    return connector.authorize({ ...command, token: kind.token, paymentMethod: kind.paymentMethod }, signal)
  switch (type) {
    case 'capture':
      return connector.capture({ ...command, amountReleased }, signal)
    case 'void':
      return connector.void(command, signal)
    case 'refund':
      return connector.refund(command, signal)
    case 'authorize':
      throw new Error('an authorization is not a follow-up')
  }
}

function requireSameAmount(outcome: Outcome, amount: number, currency: string): Outcome {
  if (outcome.kind !== 'succeeded' || (outcome.amount === amount && outcome.currency === currency)) return outcome
  const reason = `the provider reported ${outcome.amount} ${outcome.currency} instead of ${amount} ${currency}`
  return { kind: 'unknown', reason }
}
