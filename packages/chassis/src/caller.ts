import type { Permission } from '@payments/contracts/permission'

/** Who acts, as the gateway established it and the assertion carries it. */
export interface Caller {
  readonly tenantId: string
  readonly actor: Actor
  /** Everything the credential grants; the monotone rule needs the whole set. */
  readonly permissions: ReadonlySet<Permission>
  readonly traceId: string
  /** Set when the request carries an Idempotency-Key and the endpoint honours it. */
  readonly idempotency: Idempotency | null
}

export interface Actor {
  readonly type: 'api_key' | 'user'
  readonly id: string
}

/** Another process of ours, calling an internal endpoint. */
export interface ServiceCaller {
  readonly service: string
  readonly traceId: string
}

export interface Idempotency {
  readonly key: string
  /** SHA-256 over method, path and body: the same key must stand for the same request. */
  readonly fingerprint: string
  /** Set once the answer came from memory. */
  replayed: boolean
}

/** `api_key:<id>` or `user:<id>`, as recorded in created_by and the like. */
export function actorName(actor: Actor): string {
  return `${actor.type}:${actor.id}`
}
