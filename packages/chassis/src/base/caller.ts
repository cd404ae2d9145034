import type { HeldPermissions, Permission } from '@payments/contracts/grammar/permission'

/** The caller that the gateway authenticated and the assertion names. */
export interface Caller {
  readonly tenantId: string
  readonly actor: Actor
  readonly traceId: string
  /** The session of the credential; null for an API key and for the JWT of another issuer. */
  readonly sessionId: string | null
  /** Whether the credential is a session token, the JWT of the session, rather than the session itself. */
  readonly isSessionToken: boolean
  /** The roles of the credential: for a session, and at an endpoint for every credential. Otherwise null. */
  readonly roleIds: readonly string[] | null
  /**
   * The names of `roleIds`, in their order: of an API key or a JWT at an endpoint for every credential, unless they are
   * too long. Otherwise null.
   */
  readonly roleNames: readonly string[] | null
  /** null if the request has no Idempotency-Key or the endpoint ignores it. */
  readonly idempotency: Idempotency | null
  /** At an endpoint that waits: aborted when the client, or the gateway for it, closes its connection. */
  readonly left?: AbortSignal
}

/** The caller of an endpoint whose handler reads all permissions (`readsPermissions`). */
export interface CallerWithPermissions extends Caller {
  /** All permissions of the credential. */
  readonly permissions: ReadonlySet<Permission>
}

/** The caller of an endpoint whose handler reads the permissions `P` alone. */
export interface CallerWith<P extends Permission> extends Caller {
  readonly permissions: HeldPermissions<P>
}

interface Actor {
  readonly type: 'api_key' | 'user'
  readonly id: string
}

/** Anyone: the caller of a public endpoint. */
export interface PublicCaller {
  readonly traceId: string
  /**
   * Names the tenant whose audit shows the request, whatever its outcome. Only after the caller has proven a secret of
   * the tenant, such as a link or a signature: otherwise anyone could fill the audit of a tenant. `actor`: the user
   * who has proven a session, or signed in.
   */
  readonly recordTenant: (tenantId: string, actor?: { readonly type: 'user'; readonly id: string }) => void
  /** At an endpoint that declares cookies. */
  readonly browser?: Browser
}

/** The browser that requests a page, as the gateway knows it. */
export interface Browser {
  readonly address: string
  readonly userAgent: string | null
  /** By name: the cookies that the endpoint declares and the browser sent once. */
  readonly cookies: Readonly<Record<string, string>>
  /**
   * Fetch Metadata of the request. embedded: a page loads it as an image, a frame or the
   * like, or ahead of a click · foreign_link: a page of another origin opened it in a tab. Absent: neither, or unknown.
   */
  readonly load?: 'embedded' | 'foreign_link'
}

/** Another process of the platform, which calls an internal endpoint. */
export interface ServiceCaller {
  readonly service: string
  readonly traceId: string
}

export interface Idempotency {
  readonly key: string
  /** Of the request (request/fingerprint.ts): one key is valid for one request only. */
  readonly fingerprint: string
  /** Whether the response is a stored one. */
  replayed: boolean
}

/** `api_key:<id>` or `user:<id>`, as stored in columns such as `created_by`. */
export function actorName(actor: { readonly type: string; readonly id: string }): string {
  return `${actor.type}:${actor.id}`
}
