import type { KeyObject } from 'node:crypto'
import { type Assertion, signAssertion } from '@payments/chassis/assertion/assertion'
import { operatorIssuer } from '@payments/chassis/request/operator-calls'
import { literalFirst } from '@payments/chassis/request/router'
import { gatewayName } from '@payments/contracts/edges/calls'
import { assertedPermissions } from '@payments/contracts/grammar/asserted-permissions'
import type { Contract, Endpoint } from '@payments/contracts/grammar/contract'
import { issuerFor } from './edges.ts'

export interface SignedCall {
  readonly method: string
  readonly path: string
  /** The bytes that are sent. */
  readonly body?: string | Buffer | undefined
}

/**
 * The assertion for this call, for the operation that the contract has under its method and path. As from the gateway,
 * it names the permissions that the endpoint needs and its handler reads. An actor of type `service` that may not call
 * the endpoint becomes the first process that may, unless `issuer` is given.
 */
export function signCall(
  contract: Contract,
  key: KeyObject,
  assertion: Assertion,
  call: SignedCall,
  issuer?: string,
): string {
  const { method, path, body } = call
  const [operation, endpoint] = endpointAt(contract, method, path) ?? ['none', undefined]
  const isService = assertion.actor.type === 'service'
  const signer = issuer ?? (isService ? chooseCaller(assertion.actor.id, endpoint) : gatewayName)
  const actor = isService ? { type: 'service' as const, id: signer } : assertion.actor
  const edge = { issuer: signer, audience: contract.service, key }
  const permissions =
    endpoint === undefined ? assertion.permissions : assertedPermissions(endpoint, assertion.permissions)
  const signed = { method, path, operation, body: typeof body === 'string' ? Buffer.from(body) : body }
  // Every call of payctl names its operator. A test that gives the issuer decides itself.
  const operator = signer === operatorIssuer && issuer === undefined ? { operator: 'operator@example.com' } : {}
  return signAssertion({ ...operator, ...assertion, actor, permissions }, edge, signed)
}

function chooseCaller(process: string, endpoint: Endpoint | undefined): string {
  return endpoint === undefined || endpoint.callers?.includes(process) === true ? process : issuerFor(endpoint)
}

function endpointAt({ endpoints }: Contract, method: string, target: string): [string, Endpoint] | undefined {
  const [path = ''] = target.split('?', 1)
  return literalFirst(endpoints).find(
    ([, endpoint]) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
}
