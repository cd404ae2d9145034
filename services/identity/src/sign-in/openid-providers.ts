import { readFileSync } from 'node:fs'
import type { Log } from '@payments/chassis/observability/log'
import type { Config, SignInProviderConfig } from '../config.ts'
import { callbackPath } from '../domain/sign-in.ts'
import { openIdProvider } from './openid-provider.ts'
import { createProviderFetch } from './provider-fetch.ts'
import type { SignInProviders } from './providers.ts'

type SignInConfig = Pick<Config, 'SIGN_IN_PROVIDERS' | 'SIGN_IN_ALLOW_PRIVATE_PROVIDERS' | 'CONSOLE_ORIGIN'>

/** The providers of the configuration. No request is sent before a person signs in. Throws for an unreadable secret. */
export function openSignInProviders(config: SignInConfig, log: Log): SignInProviders & { close(): void } {
  const fetching = createProviderFetch(config.SIGN_IN_ALLOW_PRIVATE_PROVIDERS)
  const list = config.SIGN_IN_PROVIDERS.map((provider) => {
    const redirectUri = `${config.CONSOLE_ORIGIN}${callbackPath(provider.id)}`
    const client = { ...provider, client_secret: readSecret(provider) }
    return openIdProvider(client, { redirectUri, fetching, log })
  })
  return {
    list,
    find: (id) => list.find((one) => one.id === id),
    byIssuer: (issuer) => list.find((one) => one.issuer === issuer),
    close: () => fetching.close(),
  }
}

function readSecret({ id, client_secret_file: file }: SignInProviderConfig): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret === '') throw new Error(`the client secret of the sign-in provider ${id} is empty`)
  return secret
}
