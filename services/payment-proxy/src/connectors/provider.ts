import type { Log } from '@payments/chassis/log'
import type { Operation } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Connector, FollowUp, PaymentDetails } from './connector.ts'

/** One question to a provider about one operation. */
export interface Question {
  readonly operation: Operation
  readonly currency: string
  readonly authorizationId: string
  /** do: have it done · sync: learn how it ended. */
  readonly kind:
    | ({ readonly do: 'authorize' } & PaymentDetails)
    | { readonly do: 'follow_up' }
    | { readonly do: 'sync' }
}

export interface Provider {
  recognizes(token: string): boolean
  /** Never throws. */
  ask(question: Question): Promise<Outcome>
}

/**
 * The host of a connector. Whatever can go wrong between us and a provider becomes `unknown`: a throw, a time-out, an
 * answer about another amount or currency. One log line per question.
 */
export function createProvider(connector: Connector, timeoutMs: number, log: Log): Provider {
  const ask = async (question: Question): Promise<Outcome> => {
    const { operation, currency, kind } = question
    const startedAt = performance.now()
    const { outcome, err } = await answerOf(connector, question, timeoutMs)
    const checked = checkedAgainst(outcome, operation.amount, currency)
    log.info(
      {
        trace_id: operation.traceId,
        connector: connector.type,
        question: kind.do,
        operation: operation.type,
        operation_id: operation.id,
        outcome: checked.kind,
        reason: 'reason' in checked ? checked.reason : undefined,
        duration_ms: Math.round(performance.now() - startedAt),
        err,
      },
      'provider asked',
    )
    return checked
  }
  return { recognizes: (token) => connector.recognizes(token), ask }
}

async function answerOf(
  connector: Connector,
  question: Question,
  timeoutMs: number,
): Promise<{ outcome: Outcome; err?: unknown }> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<{ outcome: Outcome }>((resolve) => {
    timer = setTimeout(() => {
      deadline.abort()
      resolve({ outcome: { kind: 'unknown', reason: `no answer within ${timeoutMs} ms` } })
    }, timeoutMs)
  })
  try {
    const answer = put(connector, question, deadline.signal).then((outcome) => ({ outcome }))
    return await Promise.race([answer, late])
  } catch (err) {
    return { outcome: { kind: 'unknown', reason: 'the connector failed' }, err }
  } finally {
    clearTimeout(timer)
  }
}

async function put(connector: Connector, question: Question, signal: AbortSignal): Promise<Outcome> {
  const { operation, currency, authorizationId, kind } = question
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
      throw new Error('an authorization follows nothing')
  }
}

function checkedAgainst(outcome: Outcome, amount: number, currency: string): Outcome {
  if (outcome.kind !== 'succeeded' || (outcome.amount === amount && outcome.currency === currency)) return outcome
  const reason = `the provider speaks of ${outcome.amount} ${outcome.currency}, not of ${amount} ${currency}`
  return { kind: 'unknown', reason }
}
