import { randomUUID } from 'node:crypto'
import type { Account, CancelReason, Connector, WebhookReading, WebhookRequest } from '../src/connectors/connector.ts'
import type { OperationType } from '../src/domain/operation.ts'
import type { Outcome } from '../src/domain/outcome.ts'

/** A connector with its real provider. The provider simulates faults that the token of an authorization selects. */
export interface ConnectorFixture {
  readonly connector: Connector
  /** A new account at the provider. */
  account(): Account
  /** Operations of this id that took effect at the provider. */
  effects(account: Account, operationId: string): Promise<number>
  /** The last webhook of the provider about an operation, signed now or `agoMs` before. */
  webhook?(account: Account, operation: { id: string; reference: string }, agoMs?: number): WebhookRequest
  /** The payer of an authorization decides at their bank. A decision about an ended one changes nothing. */
  decide?(account: Account, authorizationId: string, decision: 'confirm' | 'decline'): Promise<void>
}

const unused = new AbortController().signal

/** One payment with an authorization of 100.00 EUR, and what follows it. */
export function payment(fixture: ConnectorFixture, { currency = 'EUR', amount: authorized = 10_000 } = {}) {
  const { connector } = fixture
  const account = fixture.account()
  const authorizationId = randomUUID()
  let authorizationReference: string | null = null
  const command = <T extends OperationType>(type: T, operationId: string, amount: number) => ({
    account,
    operationId,
    type,
    startedAt: new Date(),
    authorizationId,
    authorizationReference: operationId === authorizationId ? null : authorizationReference,
    providerReference: null,
    amount,
    amountReleased: 0,
    currency,
  })
  const authorization = () => ({
    ...command('authorize', authorizationId, authorized),
    providerReference: authorizationReference,
  })
  const learn = (outcome: Outcome) => {
    if ('providerReference' in outcome) authorizationReference = outcome.providerReference
    return outcome
  }
  return {
    account,
    authorizationId,
    authorize: async (token: string, signal = unused, returnUrl: string | null = null): Promise<Outcome> => {
      const paymentDetails = { token, paymentMethod: 'CREDIT_CARD', returnUrl } as const
      const execution = { ...command('authorize', authorizationId, authorized), paymentDetails }
      return learn(await connector.execute(execution, signal))
    },
    capture: (amount: number, amountReleased = 0, id: string = randomUUID()) =>
      connector.execute({ ...command('capture', id, amount), amountReleased }, unused),
    void: (amount: number, id: string = randomUUID()) => connector.execute(command('void', id, amount), unused),
    refund: (amount: number, id: string = randomUUID()) => connector.execute(command('refund', id, amount), unused),
    sync: (type: OperationType, id: string, amount: number, startedAt = new Date()) =>
      connector.sync({ ...command(type, id, amount), startedAt }, unused),
    /** The outcome of the authorization, by the reference that its response had. */
    read: async (): Promise<Outcome> => learn(await connector.sync(authorization(), unused)),
    /** Ends the authorization. `isLost`: its reference is not known. */
    cancel: async (reason: CancelReason, { isLost = false } = {}): Promise<Outcome> => {
      const known = isLost ? command('authorize', authorizationId, authorized) : authorization()
      return learn(await connector.cancel({ ...known, reason }, unused))
    },
    decide: async (decision: 'confirm' | 'decline') => {
      if (fixture.decide === undefined) throw new Error('no payer of the fixture decides')
      await fixture.decide(account, authorizationId, decision)
    },
    /** The reading of the last webhook about the authorization. */
    webhook: (): WebhookReading => {
      if (connector.parseWebhook === undefined || fixture.webhook === undefined) throw new Error('no webhooks')
      const about = { id: authorizationId, reference: authorizationReference ?? '' }
      return connector.parseWebhook(account, fixture.webhook(account, about))
    },
    effects: (id: string) => fixture.effects(account, id),
  }
}
