import { apiKey } from './api-key.ts'
import { audit } from './audit.ts'
import { businessUnitContract } from './business-unit.ts'
import { communicationContract } from './communication.ts'
import type { Contract } from './contract.ts'
import { inviteToPay } from './invite-to-pay.ts'
import { paymentProxy } from './payment-proxy.ts'
import { commonProblems, type ProblemDefinition } from './problem.ts'
import { rbac } from './rbac.ts'
import { webhooks } from './webhooks.ts'

/** Every contract of the platform: what the gateway routes, and what OpenAPI documents. */
export const contracts: readonly Contract[] = [
  apiKey,
  rbac,
  webhooks,
  paymentProxy,
  businessUnitContract,
  communicationContract,
  inviteToPay,
  audit,
]

/** Every problem a caller may meet, by its code. */
export const problemsByCode: ReadonlyMap<string, ProblemDefinition> = new Map(
  [commonProblems, ...contracts.map(({ problems }) => problems)].flatMap((problems) =>
    Object.values<ProblemDefinition>(problems).map((problem) => [problem.code, problem]),
  ),
)
