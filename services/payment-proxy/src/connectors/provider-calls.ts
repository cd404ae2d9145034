import { DeadlineError, within } from '@payments/chassis/base/deadline'
import { newId } from '@payments/chassis/base/id'
import { createRates, type Rates } from '@payments/chassis/base/rates'
import type { Log } from '@payments/chassis/observability/log'
import { inSpan } from '@payments/chassis/observability/trace'
import type { Metrics } from '@payments/chassis/process/metrics'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import type { PaymentOrchestrator } from '@payments/contracts/services/business-unit/contract'
import type { CheckReason } from '@payments/contracts/services/payment-proxy/orchestrators'
import type { Outcome } from '../domain/outcome.ts'
import type { AccountOwner, Accounts } from './accounts.ts'
import { type ActionRules, actionViolation } from './action-address.ts'
import type { Account, Connector, ReportPage, ReportWindow, WebhookReading, WebhookRequest } from './connector.ts'
import { createProviderMetrics } from './metrics.ts'
import { createProviderGates, type ProviderGates, type ProviderHealth } from './provider-gates.ts'
import { NoOutcome } from './provider-http.ts'
import {
  bindToAccount,
  type ConnectorResult,
  callConnector,
  callWithin,
  checkOutcome,
  type ProviderRequest,
  provenOutcome,
  requestName,
  syncIfLate,
} from './provider-request.ts'
import { cleanEvent, cleanOutcome } from './provider-text.ts'
import { eventRate } from './rates.ts'

/**
 * **What it does.** Calls the connector of a payment orchestrator and makes one of six outcomes of whatever happens.
 *
 * **Guarantees.**
 *
 * - `send` never throws. A throw of the connector, a time-out, and a response with another amount or currency are
 *   `unknown`.
 * - Texts of an outcome can be stored and shown (`provider-text.ts`).
 * - `not_attempted`: no attempt reached the provider. After the first one, only its account proves that
 *   (`provenOutcome`).
 * - An operation is sent within `sentWithinMs` of its start. Later, its outcome is read instead.
 * - Without account or ticket nothing is sent: `not_attempted`; a sync or cancellation is `unknown`.
 * - An action with an address of no use (`actionViolation`) is canceled at the provider.
 *
 * **Not guaranteed.** That a connector stops at the time-out.
 */
export interface ProviderCalls {
  recognizes(connector: ConnectorName, token: string): boolean
  /** Never throws. Writes one log line per request. */
  send(request: ProviderRequest): Promise<Outcome>
  /**
   * Counts genuine events. Throws service_unavailable while the account cannot be found: the provider sends the webhook
   * again.
   */
  parseWebhook(context: ProviderContext, request: WebhookRequest): Promise<WebhookReading | TooManyEvents>
  /**
   * Calls the provider without an effect. Never throws for what the provider does. Throws service_unavailable while the
   * account cannot be found. Writes one log line.
   */
  check(owner: AccountOwner, orchestrator: PaymentOrchestrator): Promise<CheckReason>
  /** Null: the connector cannot list. Throws when the provider does not respond. */
  listOperations(context: ProviderContext, window: ReportWindow): Promise<ReportPage | null>
}

interface TooManyEvents {
  readonly kind: 'too_many'
  readonly retryAfterSeconds: number
}

export type ProviderContext = Omit<AccountOwner, 'traceId'>

export interface ProviderOptions {
  readonly connectors: Readonly<Record<ConnectorName, Connector>>
  readonly accounts: Accounts
  readonly timeoutMs: number
  readonly log: Log
  /** Without it, nothing is counted. */
  readonly metrics?: Metrics
  readonly gates?: ProviderGates
  readonly actionRules: ActionRules
  readonly secondsToWait?: Rates
}

const accountTimeoutMs = 3_000
const checkTimeoutMs = 10_000

/** The copy of a unit may name a connector of a later release. */
function requireConnector(connectors: ProviderOptions['connectors'], name: ConnectorName): Connector {
  const connector: Connector | undefined = connectors[name]
  if (connector === undefined) throw new Error(`there is no connector ${name}`)
  return connector
}

export function createProviderCalls(options: ProviderOptions): ProviderCalls {
  const { connectors, accounts, timeoutMs, log, actionRules } = options
  const { gates = createProviderGates(), secondsToWait = createRates(eventRate) } = options
  const count = options.metrics && createProviderMetrics(options.metrics.registry)
  const find = async (owner: AccountOwner, orchestrator: PaymentOrchestrator | null = null) => {
    const account = await within(accountTimeoutMs, 'the account', accounts.find(owner, orchestrator))
    return { account, connector: requireConnector(connectors, account.connector) }
  }

  const callAccount = async (request: ProviderRequest): Promise<ConnectorResult> => {
    const { operation, transaction, orchestrator, instruction } = request
    const { businessUnitId, paymentOrchestratorId } = transaction
    const owner = { tenantId: operation.tenantId, businessUnitId, paymentOrchestratorId, traceId: operation.traceId }
    const notSent = instruction.kind === 'execute' ? 'not_attempted' : 'unknown'
    try {
      const { account, connector } = await find(owner, orchestrator)
      const bound = await bindToAccount(account, request)
      const ticket = connector.passesGates
        ? gates.enter(paymentOrchestratorId, instruction.kind === 'execute' ? 'execute' : 'sync')
        : unlimited
      if ('rejected' in ticket) return { outcome: { kind: notSent, reason: ticket.rejected }, connector }
      const result = await callConnector(connector, account, bound, { timeoutMs, rules: actionRules })
      ticket.leave(healthIn(result))
      return { ...result, outcome: provenOutcome(result.outcome, bound, account), connector }
    } catch (err) {
      return { outcome: { kind: notSent, reason: 'the payment orchestrator cannot be used at the moment' }, err }
    }
  }

  return {
    recognizes: (connector, token) => connectors[connector]?.recognizes(token) === true,
    send: async (original) => {
      const startedAt = performance.now()
      const request = syncIfLate(original)
      const result = await traceRequest(request, () => callAccount(request))
      const outcome = checkOutcome(cleanOutcome(result.outcome), request)
      const durationMs = performance.now() - startedAt
      const connector = result.connector?.type ?? 'none'
      const type = requestName(request)
      count?.({ connector, type, outcome: outcome.kind, seconds: durationMs / 1_000 })
      const { err, violation } = result
      const fields = { connector, duration_ms: Math.round(durationMs), err, action_violation: violation }
      log.info({ ...logFields(request, outcome), ...fields }, 'provider request')
      return outcome
    },
    parseWebhook: async (context, request) => {
      const { account, connector } = await find({ ...context, traceId: newId() }).catch(throwUnavailable)
      if (connector.parseWebhook === undefined) return { kind: 'rejected', reason: 'the provider sends no webhooks' }
      const reading = dropUnusableAction(connector.parseWebhook(account, request), actionRules)
      // Only the provider can sign, so no other sender uses up the rate.
      const retryAfterSeconds = reading.kind === 'rejected' ? 0 : secondsToWait(context.paymentOrchestratorId)
      return retryAfterSeconds > 0 ? { kind: 'too_many', retryAfterSeconds } : reading
    },
    check: async (owner, orchestrator) => {
      const { account, connector } = await find(owner, orchestrator).catch(throwUnavailable)
      const startedAt = performance.now()
      const result = await checkWithDeadline(connector, account, Math.min(timeoutMs, checkTimeoutMs))
      const duration_ms = Math.round(performance.now() - startedAt)
      const ids = { trace_id: owner.traceId, payment_orchestrator_id: owner.paymentOrchestratorId }
      log.info({ ...ids, connector: connector.type, duration_ms, ...result }, 'provider check')
      return result.reason
    },
    listOperations: async (context, window) => {
      const { account, connector } = await find({ ...context, traceId: newId() })
      const list = connector.listOperations
      return list === undefined ? null : callWithin(timeoutMs, (signal) => list(account, window, signal))
    },
  }
}

/** The health of the provider, as the outcome shows it. */
function healthIn({ outcome, err }: ConnectorResult): ProviderHealth {
  if (err instanceof NoOutcome) return 'not_shown'
  if (outcome.kind === 'not_attempted') return outcome.isOfOperation === true ? 'not_shown' : 'failing'
  return outcome.kind === 'unknown' ? 'failing' : 'healthy'
}

/** An action with an address of no use is not passed on: a sync finds it, and cancels the operation. */
function dropUnusableAction(reading: WebhookReading, rules: ActionRules): WebhookReading {
  if (reading.kind !== 'event') return reading
  const event = cleanEvent(reading.event)
  const { eventId, outcome } = event
  const isUsable = outcome.kind !== 'action_required' || actionViolation(outcome.action, rules) === undefined
  return isUsable ? { kind: 'event', event } : { kind: 'ignored', eventId }
}

function throwUnavailable(cause: unknown): never {
  const detail = 'The credentials of the payment orchestrator cannot be read at the moment'
  throw new Problem(commonProblems.service_unavailable, { detail, retryAfterSeconds: 5, cause })
}

function logFields({ operation, instruction }: ProviderRequest, outcome: Outcome) {
  return {
    trace_id: operation.traceId,
    request: instruction.kind,
    operation_type: operation.type,
    operation_id: operation.id,
    outcome: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : undefined,
  }
}

/** The result of a check. `err` is logged. */
async function checkWithDeadline(
  connector: Connector,
  account: Account,
  timeoutMs: number,
): Promise<{ reason: CheckReason; err?: unknown }> {
  try {
    return { reason: await callWithin(timeoutMs, (signal) => connector.check(account, signal)) }
  } catch (err) {
    return err instanceof DeadlineError ? { reason: 'timeout' } : { reason: 'unexpected_response', err }
  }
}

/** The span of a request to a provider: also of a retry by a job, in the trace of the request that it repeats. */
function traceRequest(
  { operation, instruction }: ProviderRequest,
  work: () => Promise<ConnectorResult>,
): Promise<ConnectorResult> {
  const name = `provider ${requestName({ operation, instruction })}`
  return inSpan(name, { kind: 'client', traceId: operation.traceId, attributes: {} }, async (add) => {
    const result = await work()
    add({ 'payments.connector': result.connector?.type, 'payments.outcome': result.outcome.kind })
    return result
  })
}

const unlimited = { leave: () => {} }
