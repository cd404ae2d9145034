import type { KeyObject } from 'node:crypto'
import { type Assertion, signAssertion } from '@payments/chassis/assertion'
import { literalFirst } from '@payments/chassis/router'
import type { Contract } from '@payments/contracts/contract'

export interface SignedCall {
  readonly method: string
  readonly path: string
  /** As it will be sent. */
  readonly body?: string | Buffer | undefined
}

/** The assertion with which the gateway sends this call, for the operation that the contract has under its method and path. */
export function signCall(contract: Contract, key: KeyObject, assertion: Assertion, call: SignedCall): string {
  const { method, path, body } = call
  const operation = operationAt(contract, method, path) ?? 'none'
  const edge = { issuer: 'gateway', audience: contract.service, key }
  return signAssertion(assertion, edge, {
    method,
    path,
    operation,
    body: typeof body === 'string' ? Buffer.from(body) : body,
  })
}

function operationAt({ endpoints }: Contract, method: string, target: string): string | undefined {
  const [path = ''] = target.split('?', 1)
  const found = literalFirst(endpoints).find(
    ([, endpoint]) =>
      endpoint.method === method && new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  return found?.[0]
}
