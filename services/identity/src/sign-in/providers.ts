/** A sign-in provider: the interface that verbs and pages use. `openid-providers.ts` implements it. */
export interface SignInProvider {
  readonly id: string
  readonly name: string
  /** Tenants that the provider may sign people in to. */
  readonly tenants: '*' | ReadonlySet<string>
  /** Domains of accepted email addresses, as `emailDomainKey` returns them; undefined accepts all. */
  readonly emailDomains: ReadonlySet<string> | undefined
  readonly membership: 'invited' | 'claims'
  /** The URL of the authorization endpoint, with the parameters of a new sign-in. Throws ProviderUnavailable. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** Sends the code and verifies the ID token. Throws ProviderUnavailable or SignInRejected. */
  complete(response: AuthorizationResponse): Promise<SignedInPerson>
  /**
   * Verifies a logout token, and runs `work` with the sessions that it names. The token is used up once `work` has
   * succeeded: the provider can send it again after a failure. Throws ProviderUnavailable or SignInRejected.
   */
  withLogoutToken<R>(token: string, work: (logout: LogoutRequest) => Promise<R>): Promise<R>
}

interface AuthorizationRequest {
  readonly state: string
  readonly nonce: string
  /** PKCE, S256. */
  readonly verifier: string
  /** 0: the person proves their identity now. */
  readonly maxAgeSeconds: number
  readonly loginHint?: string | undefined
}

interface AuthorizationResponse {
  /** The URL of the callback with its query, as received. */
  readonly url: URL
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly maxAgeSeconds: number
}

export interface SignedInPerson {
  readonly issuer: string
  readonly subject: string
  /** Null unless the provider reports the address as verified. */
  readonly verifiedEmail: string | null
  readonly name: string | null
  readonly authenticatedAt: Date
  /** `sid` of the ID token. */
  readonly providerSessionId: string | null
  /** With membership `claims`. */
  readonly claimed: { readonly tenantId: string; readonly roleNames: readonly string[] } | null
}

export interface LogoutRequest {
  readonly issuer: string
  readonly subject: string | null
  readonly providerSessionId: string | null
}

export interface SignInProviders {
  /** In the order of the configuration. */
  readonly list: readonly SignInProvider[]
  find(id: string): SignInProvider | undefined
  /** The provider that issued a logout token, by its unverified `iss`. */
  byIssuer(issuer: string): SignInProvider | undefined
}

/** The provider does not respond, or not as its discovery document says. */
export class ProviderUnavailable extends Error {}

/** The response of the provider proves nothing. `reason` is for the page; the message is for the log. */
export class SignInRejected extends Error {
  readonly reason: SignInRejection
  constructor(reason: SignInRejection, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * denied: the person or the provider said no · clock: a time of the ID token is not near ours · stale: the person did
 * not prove their identity as recently as requested · invalid: any other.
 */
export type SignInRejection = 'denied' | 'clock' | 'stale' | 'invalid'
