/**
 * **What it does.** Reads the discovery document of a sign-in provider, and caches it.
 *
 * **Guarantees.** One request at a time. A document older than an hour is still used while a new one is requested. It
 * stays in use while the provider is down, so only the token endpoint decides whether a person can sign in.
 *
 * **Not guaranteed.** That a change of the provider is seen at once.
 */
import type { Log } from '@payments/chassis/observability/log'
import { createRemoteJWKSet, errors, type JWTVerifyGetKey, customFetch as joseFetch } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client'
import type { SignInProviderConfig } from '../config.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { ProviderFetch } from './provider-fetch.ts'

export interface ProviderMetadata {
  readonly client: Configuration
  /** The keys that verify logout tokens. */
  readonly keys: JWTVerifyGetKey
}

export type ProviderClient = Pick<SignInProviderConfig, 'id' | 'issuer' | 'client_id'> & {
  readonly client_secret: string
}

const freshMs = 60 * 60_000
const requestSeconds = 5

/** Throws SignInFailed until the document was read once. */
export function providerMetadata(
  provider: ProviderClient,
  fetching: ProviderFetch,
  log: Log,
): () => Promise<ProviderMetadata> {
  let known: { readonly metadata: ProviderMetadata; readonly readAt: number } | undefined
  let reading: Promise<ProviderMetadata> | undefined

  const read = async () => {
    try {
      const metadata = await readMetadata(provider, fetching)
      known = { metadata, readAt: performance.now() }
      return metadata
    } finally {
      reading = undefined
    }
  }
  return () => {
    if (known !== undefined && performance.now() - known.readAt < freshMs) return Promise.resolve(known.metadata)
    reading ??= read()
    if (known === undefined) return reading
    reading.catch((error: unknown) => log.warn({ provider_id: provider.id, err: error }, 'sign-in provider not read'))
    return Promise.resolve(known.metadata)
  }
}

async function readMetadata(provider: ProviderClient, { request }: ProviderFetch): Promise<ProviderMetadata> {
  const { issuer, client_id: clientId, client_secret: clientSecret } = provider
  try {
    const client = await discovery(
      new URL(issuer),
      clientId,
      {},
      (as, ...rest) => chooseAuthentication(as, clientSecret)(as, ...rest),
      {
        [customFetch]: request,
        timeout: requestSeconds,
        execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
      },
    )
    const { issuer: reported, ...endpoints } = client.serverMetadata()
    // `discovery` compares URLs, for which a slash at the end may be missing. ID tokens have this very text.
    if (reported !== issuer) throw new Error(`the discovery document has the issuer ${reported}`)
    requireEndpoint(endpoints, 'authorization_endpoint', issuer)
    requireEndpoint(endpoints, 'token_endpoint', issuer)
    const keys = createRemoteJWKSet(requireEndpoint(endpoints, 'jwks_uri', issuer), {
      [joseFetch]: (url, options) => request(url, { ...options, headers: Object.fromEntries(options.headers) }),
      timeoutDuration: requestSeconds * 1000,
      cacheMaxAge: freshMs,
    })
    return { client, keys: (header, token) => keys(header, token).catch(rejectUnusable) }
  } catch (error) {
    if (error instanceof SignInFailed) throw error
    const detail = `${issuer}: the discovery document is not usable`
    throw new SignInFailed('provider_unavailable', detail, { cause: error })
  }
}

/** Requests to a provider on HTTPS never leave HTTPS. */
function requireEndpoint(
  metadata: Omit<ServerMetadata, 'issuer'>,
  name: 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri',
  issuer: string,
): URL {
  const { [name]: written } = metadata
  const url = typeof written === 'string' ? URL.parse(written) : null
  if (url?.protocol === 'https:' || (url !== null && issuer.startsWith('http:'))) return url
  throw new Error(`the discovery document has no usable ${name}`)
}

/** jose reports a key that cannot be imported as an error of the runtime. */
function rejectUnusable(error: unknown): never {
  if (error instanceof SignInFailed || error instanceof errors.JOSEError) throw error
  throw new SignInFailed('provider_unavailable', 'the keys of the provider are not usable', { cause: error })
}

/** OpenID Connect Discovery 1.0: without a list, a provider supports `client_secret_basic`. */
function chooseAuthentication({ token_endpoint_auth_methods_supported: methods }: ServerMetadata, secret: string) {
  return methods?.includes('client_secret_post') === true ? ClientSecretPost(secret) : ClientSecretBasic(secret)
}
