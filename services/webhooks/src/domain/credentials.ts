import type { AuthInfoConfig } from '@payments/contracts/services/webhooks/auth-info'

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  /** Added unchanged to the query of the URL. Empty: nothing is added. */
  readonly query: string
}

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

/** Names of the headers and query parameters that contain the credentials of a config. */
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
