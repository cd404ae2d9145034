import { client } from '@payments/chassis/client/client'
import { communicationContract } from '@payments/contracts/services/communication/contract'
import { paymentProxy } from '@payments/contracts/services/payment-proxy/contract'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { Config } from './config.ts'

const timeoutMs = 2_000
/** A payment includes a call of the payment provider, of at most 15 s. */
const paymentTimeoutMs = 20_000

export function connectClients(config: Config) {
  const edge = { self: 'invite-to-pay', keys: config.ASSERTION_SIGN_KEYS, timeoutMs } as const
  const atPaymentProxy = { ...edge, baseUrl: config.PAYMENT_PROXY_URL }
  return {
    rbac: client(rbac, { ...edge, baseUrl: config.RBAC_URL }),
    communication: client(communicationContract, { ...edge, baseUrl: config.COMMUNICATION_URL }),
    paymentProxy: client(paymentProxy, atPaymentProxy),
    payments: client(paymentProxy, { ...atPaymentProxy, timeoutMs: paymentTimeoutMs }),
  }
}
