import { z } from 'zod'
import type { ProviderRules } from '../domain/admission.ts'

/** A sign-in provider: the interface that verbs and pages use. `openid-providers.ts` implements it. */
export interface SignInProvider extends ProviderRules {
  readonly name: string
  readonly issuer: string
  /** The URL of the authorization endpoint, with the parameters of a new sign-in. Throws SignInFailed. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** Sends the code and verifies the ID token. Throws SignInFailed. */
  complete(response: AuthorizationResponse): Promise<SignedInPerson>
  /**
   * Verifies a logout token, and runs `work` with the sessions that it names. The token is used up once `work` has
   * succeeded: the provider can send it again after a failure. Throws SignInFailed.
   */
  withLogoutToken<R>(token: string, work: (logout: LogoutRequest) => Promise<R>): Promise<R>
}

interface Expected {
  readonly state: string
  readonly nonce: string
  /** PKCE, S256. */
  readonly verifier: string
  /** 0: the person proves their identity now. */
  readonly maxAgeSeconds: number
}

interface AuthorizationRequest extends Expected {
  readonly loginHint: string | undefined
}

interface AuthorizationResponse extends Expected {
  /** The URL of the callback with its query, as received. */
  readonly url: URL
}

/** A person after a sign-in, as the vault stores them while they choose a tenant. */
export const provenPerson = z.object({
  issuer: z.string(),
  subject: z.string(),
  /** Null unless the provider reports the address as verified. */
  verifiedEmail: z.string().nullable(),
  name: z.string().nullable(),
  authenticatedAt: z.coerce.date(),
  /** `sid` of the ID token. */
  providerSessionId: z.string().nullable(),
})

export interface SignedInPerson extends Readonly<z.output<typeof provenPerson>> {
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
