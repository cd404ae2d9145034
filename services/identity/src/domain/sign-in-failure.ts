/**
 * Why a step of a sign-in failed. The person keeps the session that they had, if any. Of the provider: denied: the
 * person or the provider said no · clock: a time of the ID token is not near ours · stale: the person did not prove
 * their identity as recently as requested · invalid: any other · provider_unavailable: no response.
 */
export type SignInFailure =
  | 'denied'
  | 'unreadable'
  | 'embedded'
  | 'other_browser'
  | 'not_open'
  | 'invalid'
  | 'clock'
  | 'stale'
  | 'unverified_email'
  | 'email_domain'
  | 'other_email'
  | 'not_invited'
  | 'disabled'
  | 'not_claimed'
  | 'too_many_users'
  | 'provider_not_for_tenant'
  | 'tenant_suspended'
  | 'other_person'
  | 'session_ended'
  | 'provider_unavailable'
  | 'unavailable'
  | 'unknown_provider'
  | 'invitation_unknown'
  | 'invitation_accepted'
  | 'invitation_closed'
  | 'invitation_declined'
  | 'not_a_member'

/**
 * Ends a step of a sign-in, and rolls back its transaction: the person gets the page of `failure`. Ends a back-channel
 * logout and a read of a provider's metadata too.
 */
export class SignInFailed extends Error {
  readonly failure: SignInFailure
  /** For the log, without email address and token. */
  readonly detail: string | null
  constructor(failure: SignInFailure, detail: string | null = null, options?: ErrorOptions) {
    super(detail ?? failure, options)
    this.failure = failure
    this.detail = detail
  }
}
