import type { Contract, Endpoint } from '../grammar/contract.ts'
import apiKey from './examples/api-key.json' with { type: 'json' }
import audit from './examples/audit.json' with { type: 'json' }
import businessUnit from './examples/business-unit.json' with { type: 'json' }
import communication from './examples/communication.json' with { type: 'json' }
import identity from './examples/identity.json' with { type: 'json' }
import inviteToPay from './examples/invite-to-pay.json' with { type: 'json' }
import paymentProxy from './examples/payment-proxy.json' with { type: 'json' }
import rbac from './examples/rbac.json' with { type: 'json' }
import webhooks from './examples/webhooks.json' with { type: 'json' }

/** Examples that `npm run openapi:examples` recorded on a running platform. */
export interface RecordedCall {
  readonly request: {
    readonly path?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string | number>>
    readonly body?: unknown
  }
  readonly response: { readonly status: number; readonly body?: unknown }
}

interface Recorded {
  readonly operations: Readonly<Record<string, RecordedCall>>
  readonly problems: Readonly<Record<string, unknown>>
}

export const recorded = {
  'api-key': apiKey,
  audit,
  'business-unit': businessUnit,
  communication,
  identity,
  'invite-to-pay': inviteToPay,
  'payment-proxy': paymentProxy,
  rbac,
  webhooks,
} as unknown as Readonly<Record<string, Recorded>>

/** Undefined for an operation without an example, as a page is. */
export function findRecordedCall({ service }: Pick<Contract, 'service'>, operation: string): RecordedCall | undefined {
  return recorded[service]?.operations[operation]
}

/** The problem document of a rejected request, by code. */
export const problemExamples: ReadonlyMap<string, unknown> = new Map(
  Object.values(recorded).flatMap(({ problems }) => Object.entries(problems)),
)

/** Whether `npm run openapi:examples` records an exchange: a sender that signs its bytes is no tenant. */
export function hasExample({ audience, page, rawBody }: Endpoint): boolean {
  return audience !== 'internal' && page === undefined && rawBody === undefined
}
