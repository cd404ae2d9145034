import { client } from '@payments/chassis/client/client'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import type { Config } from './config.ts'

const businessUnitTimeoutMs = 2_000
const inviteToPayTimeoutMs = 5_000

export function connectClients(config: Config) {
  const edge = { self: 'payment-proxy', keys: config.ASSERTION_SIGN_KEYS } as const
  return {
    businessUnit: client(businessUnitContract, {
      ...edge,
      baseUrl: config.BUSINESS_UNIT_URL,
      timeoutMs: businessUnitTimeoutMs,
    }),
    inviteToPay: client(inviteToPay, { ...edge, baseUrl: config.INVITE_TO_PAY_URL, timeoutMs: inviteToPayTimeoutMs }),
  }
}
