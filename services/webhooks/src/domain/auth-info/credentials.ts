import type { AuthInfoConfig } from '@payments/contracts/services/webhooks/auth-info'

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  /** Added unchanged to the query of the URL. Empty: nothing is added. */
  readonly query: string
}

export function toCredentials(config: Exclude<AuthInfoConfig, { type: 'oauth2_client_credentials' }>): Credentials {
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

export function listCredentialNames(config: AuthInfoConfig): CredentialNames {
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

/** The texts of a config that no response may show: each credential as sent, and the secret parts of one. */
export function listSecrets(config: AuthInfoConfig): readonly string[] {
  switch (config.type) {
    case 'custom_headers':
      return Object.values(config.headers).flatMap(listSecretParts)
    case 'basic':
      return [config.password, ...listSecretParts(basic(config.username, config.password))]
    case 'api_credential':
      return [config.value, ...listSecretParts(`${config.prefix ?? ''}${config.value}`)]
    case 'oauth2_client_credentials':
      return [config.client_secret]
  }
}

/** The value of a header, the credential after its scheme, the parts of Basic credentials, and values of cookies. */
function listSecretParts(value: string): string[] {
  const [, scheme, credential] = /^([A-Za-z][\w-]*)[ \t]+(\S.*)$/.exec(value) ?? []
  const cookies = value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1))
  const parts = credential === undefined ? [value, ...cookies] : [value, credential, ...cookies]
  if (scheme?.toLowerCase() !== 'basic' || credential === undefined) return parts
  const decoded = Buffer.from(credential, 'base64')
  const pair = decoded.toString('utf8')
  const unpadded = [decoded.toString('base64'), decoded.toString('base64url')].map((text) => text.replace(/=+$/, ''))
  return [...parts, ...unpadded, pair, pair.slice(pair.indexOf(':') + 1)]
}

export function bearer(token: string): Credentials {
  return { headers: { Authorization: `Bearer ${token}` }, query: '' }
}

/** RFC 7617, in UTF-8. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`
}
