import type { Log } from '@payments/chassis/observability/log'
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  calculatePKCECodeChallenge,
  ResponseBodyError,
} from 'openid-client'
import type { SignInProviderConfig } from '../config.ts'
import { SignInFailed, type SignInFailure } from '../domain/sign-in-failure.ts'
import { type Claims, readPerson } from './id-token.ts'
import { createTokenUse } from './logout-tokens.ts'
import type { ProviderFetch } from './provider-fetch.ts'
import { type ProviderClient, providerMetadata } from './provider-metadata.ts'
import type { SignInProvider } from './providers.ts'

interface Surroundings {
  readonly redirectUri: string
  readonly fetching: ProviderFetch
  readonly log: Log
}

/**
 * **What it does.** Signs people in at one OpenID provider, with `openid-client`: authorization code, PKCE, state and
 * nonce.
 *
 * **Guarantees.** The response is of this issuer, and the ID token is signed by one of its public keys for this client
 * and this sign-in. `auth_time` is as recent as requested. No token of the provider leaves `complete`.
 *
 * **Not guaranteed.** That the person is still at the provider a moment later.
 */
export function openIdProvider(
  config: SignInProviderConfig & ProviderClient,
  { redirectUri, fetching, log }: Surroundings,
): SignInProvider {
  const { id, name, issuer, membership } = config
  const metadata = providerMetadata(config, fetching, log)
  const useToken = createTokenUse(config)
  return {
    id,
    name,
    issuer,
    tenants: config.tenants === '*' ? '*' : new Set(config.tenants),
    emailDomains: config.email_domains === undefined ? undefined : new Set(config.email_domains),
    membership,
    async authorizationUrl({ state, nonce, verifier, maxAgeSeconds, loginHint }) {
      const { client } = await metadata()
      return buildAuthorizationUrl(client, {
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...config.scopes])].join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // Without it, a provider leaves out auth_time.
        max_age: String(maxAgeSeconds),
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      }).href
    },
    async complete({ url, state, nonce, verifier, maxAgeSeconds }) {
      const { client } = await metadata()
      const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
      const { claims } = await authorizationCodeGrant(client, url, { ...expected, idTokenExpected: true }).catch(
        (error: unknown) => {
          throw explainError(error)
        },
      )
      const verified = claims()
      if (verified === undefined) throw new SignInFailed('invalid', 'the response has no ID token')
      return readPerson(verified as Claims, { ...config, maxAgeSeconds })
    },
    async withLogoutToken(token, work) {
      const { keys } = await metadata()
      return useToken(token, keys, work)
    },
  }
}

/** RFC 6749 and OpenID Connect Core 1.0: the person, or the provider for the person, declined. */
const denials: ReadonlySet<string> = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])
const outages: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable'])
/** The provider does not accept the client: the operator must correct the registration. */
const misconfigurations: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])

/**
 * The meaning of an error of openid-client, which also throws a TypeError for a token that is not base64url. Every
 * other error is a defect.
 */
function explainError(error: unknown): unknown {
  const known = findCause(error)
  if (known !== undefined) return known
  const fail = (failure: SignInFailure, detail: string) => new SignInFailed(failure, detail, { cause: error })
  if (error instanceof AuthorizationResponseError) {
    const rejection = denials.has(error.error) ? 'denied' : 'invalid'
    const failure = outages.has(error.error) ? 'provider_unavailable' : rejection
    return fail(failure, `the provider responded with ${error.error}`)
  }
  if (error instanceof ResponseBodyError) {
    const failure = misconfigurations.has(error.error) ? 'provider_unavailable' : 'invalid'
    return fail(failure, `the token endpoint responded with ${error.error}`)
  }
  if (error instanceof TypeError) return fail('invalid', error.message)
  if (!(error instanceof ClientError)) return error
  const message = [error.message, error.cause instanceof Error ? error.cause.message : ''].join(': ')
  if (error.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED') return fail('clock', message)
  return fail(unusable.has(error.code ?? '') ? 'provider_unavailable' : 'invalid', message)
}

/** Codes of responses that no provider in order sends. */
const unusable: ReadonlySet<string> = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_TIMEOUT', 'OAUTH_ABORT'])

/** openid-client wraps errors of the request. */
function findCause(error: unknown): SignInFailed | undefined {
  if (error instanceof SignInFailed) return error
  return error instanceof Error && error.cause !== undefined ? findCause(error.cause) : undefined
}
