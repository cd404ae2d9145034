/** The ports of the processes of the local stack. */

import { type ServiceName, serviceNames } from '@payments/contracts/edges/contracts'
import { urlVariable } from '@payments/contracts/edges/service-urls'
import { portFrom } from '../machine/ports.ts'
import type { Environment } from '../machine/profile.ts'

/** The port of each service; a service that is added takes the next one. */
const servicePorts: Readonly<Record<ServiceName, number>> = {
  'api-key': 8081,
  rbac: 8082,
  webhooks: 8083,
  'payment-proxy': 8084,
  audit: 8085,
  'business-unit': 8086,
  communication: 8088,
  'invite-to-pay': 8089,
  identity: 8090,
}

interface PortEntry {
  readonly variable: string
  readonly purpose: string
  readonly fallback: number
}

const ofServices = Object.fromEntries(
  serviceNames.map((service): [string, PortEntry] => [
    service,
    { variable: urlVariable(service).replace(/_URL$/, '_PORT'), purpose: service, fallback: servicePorts[service] },
  ]),
) as Record<ServiceName, PortEntry>

const gatewayHealth = "the gateway's health and metrics"
const dispatcherHealth = "the webhook dispatcher's health and metrics"

/** The variable, the purpose and the default of each port. */
export const portTable = {
  gateway: { variable: 'PORT', purpose: 'the gateway', fallback: 8080 },
  gatewayInternal: { variable: 'INTERNAL_PORT', purpose: gatewayHealth, fallback: 9080 },
  ...ofServices,
  dispatcherInternal: { variable: 'DISPATCHER_INTERNAL_PORT', purpose: dispatcherHealth, fallback: 9083 },
  devSignIn: { variable: 'DEV_SIGN_IN_PORT', purpose: 'the development sign-in provider', fallback: 8091 },
} as const satisfies Readonly<Record<string, PortEntry>>

export type Ports = Readonly<Record<keyof typeof portTable, number>>

export function portsFrom(env: Environment): Ports {
  const entries = Object.entries(portTable).map(([key, { variable, fallback }]) => [
    key,
    portFrom(env, variable, fallback),
  ])
  return Object.fromEntries(entries) as unknown as Ports
}
