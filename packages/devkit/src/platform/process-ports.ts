/** The ports of the processes of the local stack. */
import { portFrom } from '../machine/ports.ts'
import type { Environment } from '../machine/profile.ts'

export interface Ports {
  readonly gateway: number
  readonly gatewayInternal: number
  readonly apiKey: number
  readonly rbac: number
  readonly webhooks: number
  readonly paymentProxy: number
  readonly businessUnit: number
  readonly communication: number
  readonly inviteToPay: number
  readonly audit: number
  readonly dispatcherInternal: number
}

/** The variable, the purpose and the default of each port. */
export const portTable: Readonly<Record<keyof Ports, { variable: string; purpose: string; fallback: number }>> = {
  gateway: { variable: 'PORT', purpose: 'the gateway', fallback: 8080 },
  gatewayInternal: { variable: 'INTERNAL_PORT', purpose: "the gateway's health and metrics", fallback: 9080 },
  apiKey: { variable: 'API_KEY_PORT', purpose: 'api-key', fallback: 8081 },
  rbac: { variable: 'RBAC_PORT', purpose: 'rbac', fallback: 8082 },
  webhooks: { variable: 'WEBHOOKS_PORT', purpose: 'webhooks', fallback: 8083 },
  paymentProxy: { variable: 'PAYMENT_PROXY_PORT', purpose: 'payment-proxy', fallback: 8084 },
  businessUnit: { variable: 'BUSINESS_UNIT_PORT', purpose: 'business-unit', fallback: 8086 },
  communication: { variable: 'COMMUNICATION_PORT', purpose: 'communication', fallback: 8088 },
  inviteToPay: { variable: 'INVITE_TO_PAY_PORT', purpose: 'invite-to-pay', fallback: 8089 },
  audit: { variable: 'AUDIT_PORT', purpose: 'audit', fallback: 8085 },
  dispatcherInternal: {
    variable: 'DISPATCHER_INTERNAL_PORT',
    purpose: "the webhook dispatcher's health and metrics",
    fallback: 9083,
  },
}

export function portsFrom(env: Environment): Ports {
  const entries = Object.entries(portTable).map(([key, { variable, fallback }]) => [
    key,
    portFrom(env, variable, fallback),
  ])
  return Object.fromEntries(entries) as unknown as Ports
}
