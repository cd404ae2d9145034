/** Calls of a test in the name of a process that the contract lists. */
import type { KeyObject } from 'node:crypto'
import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { gatewayName } from '@payments/contracts/edges/calls'
import { serviceNames } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'

/** Every process that has an assertion key, or might. */
export const issuers: readonly string[] = [gatewayName, 'payctl', 'webhooks-dispatcher', ...serviceNames]

/**
 * The keys of a service under test: of every process, not only of its callers. So the contract rejects a process, not
 * a missing key.
 */
export function keysOfEveryProcess(key: KeyObject): AssertionKeys {
  return new Map(issuers.map((issuer) => [issuer, key]))
}

/** The first process that may call the endpoint. */
export function issuerFor(endpoint: Endpoint): string {
  return endpoint.callers?.[0] ?? gatewayName
}

/** The gateway describes the browser at a page with cookies. */
export const browserAt = ({ cookies }: Endpoint) =>
  cookies === undefined ? {} : { browser: { address: '192.0.2.1', userAgent: null, cookies: {} } }
