import type { Contract } from '../grammar/contract.ts'

/** One process that may call a service: `issuer` signs assertions that `audience` accepts. */
export interface Edge {
  readonly issuer: string
  readonly audience: string
}

/** The process that authenticates tenants. No other process may speak for an API key or a user. */
export const gatewayName = 'gateway'

/** Every edge that the contracts need: the gateway to what tenants call, and each listed caller to its service. */
export function listEdges(contracts: readonly Contract[]): readonly Edge[] {
  return contracts.flatMap(({ service, endpoints }) => {
    const issuers = Object.values(endpoints).flatMap(({ callers }) => callers ?? [gatewayName])
    return [...new Set(issuers)].map((issuer) => ({ issuer, audience: service }))
  })
}
