import type { CreateAuthInfoRequest, WebhookAuthInfo } from '@payments/client/schemas'

export type Scheme = CreateAuthInfoRequest['type']
export type Config = CreateAuthInfoRequest['config']

interface FieldOfScheme {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isOptional?: boolean
  readonly isSecret?: boolean
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly isMultiline?: boolean
}

export const schemes: Readonly<Record<Scheme, { readonly label: string; readonly fields: readonly FieldOfScheme[] }>> =
  {
    custom_headers: {
      label: 'Headers',
      fields: [{ name: 'headers', label: 'Headers', hint: 'One a line, as Name: value.', isMultiline: true }],
    },
    basic: {
      label: 'User name and password',
      fields: [
        { name: 'username', label: 'User name' },
        { name: 'password', label: 'Password', isSecret: true },
      ],
    },
    api_credential: {
      label: 'API credential',
      fields: [
        {
          name: 'location',
          label: 'Sent in',
          options: [
            { value: 'header', label: 'a header' },
            { value: 'query', label: 'the query of the URL' },
          ],
        },
        { name: 'name', label: 'Name of the header or parameter' },
        {
          name: 'prefix',
          label: 'Text before the credential',
          hint: 'Such as Bearer with its space.',
          isOptional: true,
        },
        { name: 'value', label: 'Credential', isSecret: true },
      ],
    },
    oauth2_client_credentials: {
      label: 'OAuth 2 client credentials',
      fields: [
        { name: 'token_url', label: 'Token URL' },
        { name: 'client_id', label: 'Client id' },
        { name: 'client_secret', label: 'Client secret', isSecret: true },
        { name: 'scope', label: 'Scopes', hint: 'Separated by spaces.', isOptional: true },
        { name: 'audience', label: 'Audience', hint: 'If the authorization server needs one.', isOptional: true },
        { name: 'resource', label: 'Resource', hint: 'If the authorization server needs one.', isOptional: true },
      ],
    },
  }

export const schemeNames = Object.keys(schemes) as Scheme[]

/** The texts of a form, by the names of the fields. */
export type Texts = Readonly<Record<string, string>>

export const emptyTexts: Texts = { location: 'header' }

/** The credentials as the API takes them. The API checks the values. */
export function buildConfig(scheme: Scheme, texts: Texts): Config {
  if (scheme === 'custom_headers') return { headers: readHeaders(texts['headers'] ?? '') }
  const given = schemes[scheme].fields.filter(({ name, isOptional }) => isOptional !== true || texts[name])
  return Object.fromEntries(given.map(({ name }) => [name, texts[name] ?? ''])) as Config
}

/** Lines of one name are one header: their values, separated by commas (RFC 9110, section 5.3). */
function readHeaders(text: string): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const colon = line.indexOf(':')
    const name = (colon < 0 ? line : line.slice(0, colon)).trim()
    const value = colon < 0 ? '' : line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}

/** The credentials of a response, part by part. */
export function toShownParts({ type, config }: Pick<WebhookAuthInfo, 'type' | 'config'>) {
  if ('headers' in config) {
    return Object.entries(config.headers).map(([label, value]) => ({ label, value, isSecret: true }))
  }
  const values = config as Readonly<Record<string, string>>
  return schemes[type].fields.flatMap(({ name, label, isSecret = false }) => {
    const value = values[name]
    return value === undefined ? [] : [{ label, value, isSecret }]
  })
}
