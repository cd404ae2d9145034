import type { Contract } from '../grammar/contract.ts'
import { commonProblems, type ProblemDefinition } from '../grammar/problem.ts'
import { apiKey } from '../services/api-key/contract.ts'
import { audit } from '../services/audit/contract.ts'
import { businessUnitContract } from '../services/business-unit/contract.ts'
import { communicationContract } from '../services/communication/contract.ts'
import { identityContract } from '../services/identity/contract.ts'
import { inviteToPay } from '../services/invite-to-pay/contract.ts'
import { paymentProxy } from '../services/payment-proxy/contract.ts'
import { rbac } from '../services/rbac/contract.ts'
import { webhooks } from '../services/webhooks/contract.ts'

const all = [
  apiKey,
  rbac,
  webhooks,
  paymentProxy,
  businessUnitContract,
  communicationContract,
  inviteToPay,
  identityContract,
  audit,
] as const

/** Every contract of the platform: what the gateway routes, and what OpenAPI documents. */
export const contracts: readonly Contract[] = all

type NameOf<Events> = Events extends unknown ? keyof Events & string : never

/** Every event type of the catalogue. */
export type EventType = NameOf<(typeof all)[number]['events']>

export type ServiceName = (typeof all)[number]['service']

/** Every service, in the order of the contracts. */
export const serviceNames: readonly ServiceName[] = all.map(({ service }) => service)

/** Every problem a caller may meet, by its code. */
export const problemsByCode: ReadonlyMap<string, ProblemDefinition> = new Map(
  [commonProblems, ...contracts.map(({ problems }) => problems)].flatMap((problems) =>
    Object.values<ProblemDefinition>(problems).map((problem) => [problem.code, problem]),
  ),
)
