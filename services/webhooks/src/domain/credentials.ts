import type { AuthInfoConfig } from '@payments/contracts/webhooks-auth-info'

/** What a request carries to prove where it comes from. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  /** Added to the URL's query as it stands; empty is nothing. */
  readonly query: string
}

/** Those of a config that holds them itself. */
export function credentialsOf(config: Exclude<AuthInfoConfig, { type: 'oauth2_client_credentials' }>): Credentials {
  switch (config.type) {
    case 'custom_headers':
      return { headers: config.headers, query: '' }
    case 'basic':
      return { headers: { Authorization: basic(config.username, config.password) }, query: '' }
    case 'api_credential': {
      const value = `${config.prefix ?? ''}${config.value}`
      return config.location === 'header'
        ? { headers: { [config.name]: value }, query: '' }
        : { headers: {}, query: `${encodeURIComponent(config.name)}=${encodeURIComponent(value)}` }
    }
  }
}

/** Which headers and query parameters the credentials of a config are sent in. Holds no credential. */
export interface CredentialNames {
  readonly headers: readonly string[]
  readonly query: readonly string[]
}

export function credentialNamesOf(config: AuthInfoConfig): CredentialNames {
  switch (config.type) {
    case 'custom_headers':
      return { headers: Object.keys(config.headers), query: [] }
    case 'basic':
    case 'oauth2_client_credentials':
      return { headers: ['Authorization'], query: [] }
    case 'api_credential':
      return config.location === 'header'
        ? { headers: [config.name], query: [] }
        : { headers: [], query: [config.name] }
  }
}

export function bearer(token: string): Credentials {
  return { headers: { Authorization: `Bearer ${token}` }, query: '' }
}

/** RFC 7617, in UTF-8. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`
}
