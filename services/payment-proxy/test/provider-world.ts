import { randomUUID } from 'node:crypto'
import { createLog } from '@payments/chassis/observability/log'
import type { Connector } from '../src/connectors/connector.ts'
import { createProviderCalls, type ProviderOptions } from '../src/connectors/provider-calls.ts'
import type { ProviderRequest } from '../src/connectors/provider-request.ts'
import type { Operation } from '../src/domain/operation.ts'
import type { Outcome } from '../src/domain/outcome.ts'
import { sandboxAccounts } from './sandbox-account.ts'

/** Started now: this module outlives a test file, and an operation that started long ago is not sent. */
const startedOperation = (): Operation => ({
  id: randomUUID(),
  tenantId: randomUUID(),
  transactionId: randomUUID(),
  number: 2,
  type: 'capture',
  state: 'in_progress',
  amount: 500,
  amountReleased: 0,
  stage: null,
  reason: null,
  items: null,
  providerReference: null,
  error: null,
  openReason: null,
  pendingReportedAt: null,
  action: null,
  authentication: null,
  voidRequest: null,
  resolution: null,
  attemptCount: 1,
  accountName: 'account',
  dueAt: new Date(),
  traceId: randomUUID(),
  actor: 'platform',
  createdAt: new Date(),
  completedAt: null,
})

export type Respond = (signal: AbortSignal) => Promise<Outcome>

export function createConnector(respond: Respond, passesGates = false): Connector {
  const call = (_: unknown, signal: AbortSignal) => respond(signal)
  return {
    type: 'sandbox',
    passesGates,
    recognizes: () => true,
    execute: call,
    sync: call,
    cancel: call,
    check: async () => 'accepted',
  }
}

/** The connector under its name. Those of other providers fail the test that reaches them. */
export const underItsName = (connector: Connector): ProviderOptions['connectors'] => ({
  ...{ sandbox: unused, http: unused, stripe: unused },
  [connector.type]: connector,
})

const unused = new Proxy({} as Connector, {
  get: () => {
    throw new Error('the connector of another provider is used')
  },
})

export function createTestProvider(connector: Connector, options: Partial<ProviderOptions> = {}) {
  const log = createLog('test', 'fatal')
  return createProviderCalls({
    connectors: underItsName(connector),
    accounts: sandboxAccounts,
    timeoutMs: 50,
    log,
    actionRules: { allowPrivate: false, ownOrigin: 'https://pay.payments.test' },
    ...options,
  })
}

export const ids = { businessUnitId: randomUUID(), paymentOrchestratorId: randomUUID() }

export function buildRequest(
  instruction: 'execute' | 'sync' = 'execute',
  changes: Partial<Operation> = {},
): ProviderRequest {
  return {
    operation: { ...startedOperation(), ...changes },
    transaction: { ...ids, currency: 'EUR' },
    authorization: undefined,
    orchestrator: null,
    storeAccountName: async () => {},
    instruction: instruction === 'sync' ? { kind: 'sync' } : { kind: 'execute', paymentDetails: null },
  }
}

export const succeeded = { kind: 'succeeded', providerReference: 'r', amount: 500, currency: 'EUR' } as const
