import type { Browser } from '@payments/chassis/base/caller'
import type { SignedInPerson, SignInProvider } from './providers.ts'

/** A person who proved their identity at a sign-in provider, in the sign-in that their browser began. */
export interface Arrival {
  readonly person: SignedInPerson
  readonly provider: SignInProvider
  readonly browser: Browser
  /** The invitation that the person accepts. */
  readonly invitationId: string | null
  /** The tenant of the page that requested the sign-in, or that the person chose. Null: neither. */
  readonly tenantId: string | null
  /**
   * The session that ends when the new one begins. Of a step-up, always. Of a sign-in, only where the browser has sent
   * its cookie: not after a link of another site, nor with the redirect of a provider.
   */
  readonly replacedSessionId: string | null
  readonly traceId: string
}
