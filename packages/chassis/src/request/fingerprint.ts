import { hash } from 'node:crypto'
import type { Endpoint, RequestOf } from '@payments/contracts/grammar/contract'

/**
 * A fingerprint has two hashes: of the request as sent, and of the request as parsed by its contract. Requests with one
 * Idempotency-Key are the same when either is equal. So the order of members, spelled-out defaults and other spellings
 * of a value make no other request. A release that adds a default changes the second hash alone.
 */
export function fingerprintRequest(
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  request: { readonly originalUrl: string; readonly body?: unknown },
  { params, query, body }: Pick<RequestOf<Endpoint>, 'params' | 'query' | 'body'>,
): string {
  const sent = hash('sha256', JSON.stringify([method, request.originalUrl, request.body ?? null]))
  const parsed = hash('sha256', JSON.stringify([method, path, params, query, body], inOrder))
  return `${sent} ${parsed}`
}

/** Whether two requests with one Idempotency-Key are the same request. */
export function isSameRequest(stored: string, given: string): boolean {
  const [storedHashes, givenHashes] = [stored.split(' '), given.split(' ')]
  return storedHashes.some((one, index) => one === givenHashes[index])
}

/** A replacer of JSON.stringify: the members of objects by name. */
function inOrder(_: string, value: unknown): unknown {
  if (value instanceof Set || value instanceof Map) return [...value]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
