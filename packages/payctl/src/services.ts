import { newId } from '@payments/chassis/base/id'
import { client } from '@payments/chassis/client/client'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { audit } from '@payments/contracts/services/audit/contract'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { type Config, requireOperator } from './config.ts'

/** Of one call. */
export const newContext = () => ({ traceId: newId() })

/** The redrive of a long queue is one call; other calls are fast. */
const timeoutMs = 60_000

export type Services = ReturnType<typeof connectServices>

/** The services that an operator calls directly, without the gateway, and the operator who calls. */
export function connectServices(config: Config) {
  const operator = requireOperator(config)
  const edge = { self: 'payctl', keys: config.ASSERTION_SIGN_KEYS, timeoutMs, operator } as const
  return {
    operator,
    apiKey: client(apiKey, { ...edge, baseUrl: config.API_KEY_URL }),
    rbac: client(rbac, { ...edge, baseUrl: config.RBAC_URL }),
    webhooks: client(webhooks, { ...edge, baseUrl: config.WEBHOOKS_URL }),
    businessUnit: client(businessUnitContract, { ...edge, baseUrl: config.BUSINESS_UNIT_URL }),
    communication: client(communicationContract, { ...edge, baseUrl: config.COMMUNICATION_URL }),
    identity: client(identityContract, { ...edge, baseUrl: config.IDENTITY_URL }),
    inviteToPay: client(inviteToPay, { ...edge, baseUrl: config.INVITE_TO_PAY_URL }),
    audit: client(audit, { ...edge, baseUrl: config.AUDIT_URL }),
    paymentProxy: client(paymentProxy, { ...edge, baseUrl: config.PAYMENT_PROXY_URL }),
  }
}
