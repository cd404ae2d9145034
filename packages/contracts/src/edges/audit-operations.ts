import type { AuditRecord } from '../services/audit/contract.ts'
import { gatewayName } from './calls.ts'
import { contracts } from './contracts.ts'

/** The operations that the gateway forwards. */
const forwarded = new Set(
  contracts.flatMap(({ endpoints }) =>
    Object.entries(endpoints).flatMap(([operation, { audience }]) => (audience === 'internal' ? [] : operation)),
  ),
)

/** The operations of operators, by service. */
const internal = new Map(
  contracts.map(({ service, endpoints }) => {
    const own = Object.entries(endpoints).filter(([, { audience }]) => audience === 'internal')
    return [service, new Set(own.map(([operation]) => operation))] as const
  }),
)

/**
 * Whether a producer may write a record: the gateway records the requests of tenants, a service the calls of operators
 * at its own endpoints. A rotated key has the name of its producer and a suffix: `gateway-2`, `rbac-2`. A request for
 * an unknown path has no operation.
 */
export function mayRecord(producer: string, { actor, operation }: Pick<AuditRecord, 'actor' | 'operation'>): boolean {
  const isOperator = actor.type === 'operator'
  if (isNamedAfter(producer, gatewayName)) return !isOperator && (operation === null || forwarded.has(operation))
  const service = [...internal.keys()].find((name) => isNamedAfter(producer, name))
  const operations = service === undefined ? undefined : internal.get(service)
  return isOperator && operations !== undefined && (operation === null || operations.has(operation))
}

const isNamedAfter = (producer: string, name: string) => producer === name || producer.startsWith(`${name}-`)
