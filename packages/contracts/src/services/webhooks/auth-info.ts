import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { id, instant, prose, text, updateBody, uuid } from '../../grammar/field.ts'
import { hostAndPort, urlText } from '../../grammar/host.ts'
import { nameText } from '../../grammar/name.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { tenantRoute } from '../../grammar/route.ts'

/** Authentication configurations (auth infos): how deliveries authenticate to their receiver. */
export const authInfoProblems = defineProblems({
  auth_info_not_found: {
    status: 404,
    title: 'Authentication configuration not found',
    explanation: 'The tenant has no webhook authentication configuration with this id.',
  },
  auth_info_in_use: {
    status: 409,
    title: 'The authentication configuration is in use',
    explanation: 'A webhook subscription uses the authentication configuration. Detach it from the subscription first.',
  },
  too_many_auth_infos: {
    status: 409,
    title: 'Too many authentication configurations',
    explanation: 'A tenant can have 100 webhook authentication configurations. Delete unused ones.',
  },
  header_not_allowed: {
    status: 422,
    title: 'Header not allowed',
    explanation:
      'Host, Content-Length, Content-Type, Transfer-Encoding, Connection, User-Agent, Trace-ID, traceparent, those beginning with webhook- and others that a connection or the delivery itself needs are set by the platform. `errors` names each rejected header.',
  },
})

/** Per tenant. */
export const authInfosMax = 100

/** Per authentication configuration. */
const hostsMax = 20

/** Subscriptions that a response names, and that it counts. */
export const subscriptionIdsMax = 100
export const subscriptionCountMax = 1_000

/** Replaces a credential that is not shown. */
export const credentialMask = '…'

const headersMax = 20
const headersCharactersMax = 16 * 1024
const noControls = /^\P{Cc}*$/u

const tokenCharacters = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const headerName = z.string().min(1).max(200).regex(tokenCharacters, 'must be the name of a header')
/** Visible ISO 8859-1, with blanks inside: what is stored is what arrives. */
const headerCharacters = /^[\x21-\x7e\xa0-\xff](?:[\t\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?$/
const headerValue = z
  .string()
  .min(1)
  .max(4096)
  .regex(headerCharacters, 'must be visible ISO 8859-1, without blanks at its ends')

const isNoMask = [(value: string) => value !== credentialMask, 'is the mask of a credential, not a credential'] as const
const withoutControls = [(value: string) => noControls.test(value), 'must have no control characters'] as const
const printable = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')

const headers = z.record(headerName, headerValue).superRefine((given, context) => {
  const names = Object.keys(given)
  const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', message, path })
  if (names.length === 0 || names.length > headersMax) refuse(`must have 1 to ${headersMax} headers`)
  const characters = Object.entries(given).flat().join('').length
  if (characters > headersCharactersMax) refuse(`must have at most ${headersCharactersMax} characters in all`)
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name.toLowerCase())) refuse('must not be repeated; header names are case-insensitive', [name])
    seen.add(name.toLowerCase())
  }
})

const configs = {
  custom_headers: z.strictObject({ headers: headers.describe('Headers to add, by name.') }),
  basic: z.strictObject({
    username: text(255)
      .refine(...withoutControls)
      .refine((value) => !value.includes(':'), 'must have no colon')
      .describe('User name.'),
    password: prose(1024)
      .refine(...withoutControls)
      .refine(...isNoMask)
      .describe('Password.'),
  }),
  api_credential: z
    .strictObject({
      location: z.enum(['header', 'query']).describe('Where the credential is sent.'),
      name: text(200)
        .refine(...withoutControls)
        .describe('Name of the header or query parameter.'),
      value: text(4096)
        .refine(...withoutControls)
        .refine(...isNoMask)
        .describe('The credential.'),
      prefix: text(100)
        .refine(...withoutControls)
        .optional()
        .describe('Text before the credential, verbatim: `Bearer ` with its space.'),
    })
    .superRefine(({ location, name, prefix = '', value }, context) => {
      if (location === 'query') return
      const parts = { name: headerName.safeParse(name), value: headerValue.safeParse(`${prefix}${value}`) }
      for (const [part, { error }] of Object.entries(parts)) {
        for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message, path: [part] })
      }
    }),
  oauth2_client_credentials: z.strictObject({
    token_url: urlText.describe('Token endpoint of the authorization server.'),
    client_id: printable(255).describe('Client identifier.'),
    client_secret: printable(4096).describe('Client secret.'),
    scope: z
      .string()
      .max(1000)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes separated by single spaces')
      .optional()
      .describe('Scopes to request, separated by spaces.'),
    audience: printable(2048)
      .optional()
      .describe('`audience` of the token request, which some authorization servers need, such as Auth0.'),
    resource: printable(2048)
      .optional()
      .describe('`resource` of the token request (RFC 8707): the URI of the receiver that the token is for.'),
  }),
}

type Configs = { [T in keyof typeof configs]: z.output<(typeof configs)[T]> }
export type AuthInfoType = keyof Configs
export type AuthInfoConfig<T extends AuthInfoType = AuthInfoType> = T extends unknown ? { type: T } & Configs[T] : never

const authInfoTypes = Object.keys(configs) as [AuthInfoType, ...AuthInfoType[]]

/** The field that identifies a config whose type is not given. */
const identifyingFields: Readonly<Record<AuthInfoType, string>> = {
  custom_headers: 'headers',
  basic: 'username',
  api_credential: 'location',
  oauth2_client_credentials: 'token_url',
}

function findType(config: unknown): AuthInfoType | undefined {
  if (typeof config !== 'object' || config === null) return undefined
  return authInfoTypes.find((type) => Object.hasOwn(config, identifyingFields[type]))
}

/** Parsed by its type: the error of a union would not name the wrong field. */
const config = z.unknown().meta({
  description: 'The credentials, in the shape of the type.',
  anyOf: Object.values(configs).map((schema) => {
    const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' })
    return shape
  }),
})

function parseConfig(type: AuthInfoType | undefined, given: unknown, context: z.core.$RefinementCtx): AuthInfoConfig {
  const known = type ?? findType(given)
  if (known === undefined) {
    context.addIssue({ code: 'custom', message: 'must have the shape of one of the types', path: ['config'] })
    return z.NEVER
  }
  const parsed = configs[known].safeParse(given)
  if (parsed.success) return { type: known, ...parsed.data } as AuthInfoConfig
  for (const issue of parsed.error.issues) context.addIssue({ ...issue, path: ['config', ...issue.path] } as never)
  return z.NEVER
}

const examples = {
  custom_headers: { headers: { 'X-Api-Key': 'k-4711' } },
  basic: { username: 'payments', password: 'correct horse' },
  api_credential: { location: 'header', name: 'Authorization', value: 't-0815', prefix: 'Bearer ' },
  oauth2_client_credentials: {
    token_url: 'https://id.example.com/oauth2/token',
    client_id: 'payments',
    client_secret: 's3cret',
    scope: 'hooks:write',
  },
} satisfies Record<AuthInfoType, object>

const configurationName = 'Display name.'
const typeText = 'Authentication scheme.'
const hostsText =
  'Hosts that the credentials may be sent to: a name means the port 443, `name:8443` another port. Sending them to another host or port, or adding one here, requires webhook:RevealAuthInfo.'

const hosts = z
  .array(hostAndPort)
  .max(hostsMax)
  .transform((given) => [...new Set(given)])
  .describe(hostsText)

const exampleBodies = Object.entries(examples).map(([type, config]) => ({
  name: 'Ledger',
  type,
  config,
  hosts: ['hooks.example.com'],
}))

const creation = z
  .strictObject({
    name: nameText(200).describe(configurationName),
    type: z.enum(authInfoTypes).describe(typeText),
    config,
    hosts: hosts.default([]),
  })
  .transform(({ name, type, config, hosts }, context) => ({ name, config: parseConfig(type, config, context), hosts }))
  .meta({ examples: exampleBodies })

const change = updateBody(
  z.strictObject({
    name: nameText(200).optional().describe(configurationName),
    type: z.enum(authInfoTypes).optional().describe(typeText),
    config: config.optional(),
    hosts: hosts.optional(),
  }),
)
  .transform(({ name, type, config, hosts }, context) => ({
    name,
    type,
    hosts,
    config: config === undefined ? undefined : parseConfig(type, config, context),
  }))
  .meta({ examples: [...exampleBodies, { name: 'Ledger' }, { hosts: [] }, { config: examples.basic, type: 'basic' }] })

/** In responses: credentials are masked except in a reveal. Header names, user names and client ids are shown. */
const shownConfig = z.union([
  z.strictObject({ headers: z.record(z.string(), z.string()).describe('Headers to add, by name.') }),
  z.strictObject({ username: z.string().describe('User name.'), password: z.string().describe('Password.') }),
  z.strictObject({
    location: z.enum(['header', 'query']).describe('Where the credential is sent.'),
    name: z.string().describe('Name of the header or query parameter.'),
    value: z.string().describe('The credential.'),
    prefix: z.string().optional().describe('Text before the credential.'),
  }),
  z.strictObject({
    token_url: z.string().describe('Token endpoint of the authorization server.'),
    client_id: z.string().describe('Client identifier.'),
    client_secret: z.string().describe('Client secret.'),
    scope: z.string().optional().describe('Scopes to request.'),
    audience: z.string().optional().describe('`audience` of the token request.'),
    resource: z.string().optional().describe('`resource` of the token request.'),
  }),
])

const authInfo = z
  .object({
    id: uuid.describe('Identifier of the authentication configuration.'),
    name: z.string().describe(configurationName),
    type: z.enum(authInfoTypes).describe(typeText),
    config: shownConfig.describe('The credentials. Masked except in a reveal.'),
    hosts: z.array(z.string()).describe(hostsText),
    subscription_ids: z
      .array(uuid)
      .describe(
        `Subscriptions that use the authentication configuration, oldest first: at most ${subscriptionIdsMax}.`,
      ),
    subscription_count: z
      .int()
      .describe(`Number of subscriptions that use the authentication configuration: at most ${subscriptionCountMax}.`),
    created_at: instant.describe('When the authentication configuration was created.'),
    updated_at: instant.describe('When the authentication configuration last changed.'),
  })
  .meta({ id: 'WebhookAuthInfo', description: 'Credentials that webhook deliveries carry.' })

export type ShownConfig = z.input<typeof shownConfig>
export type AuthInfo = z.input<typeof authInfo>

const params = z.strictObject({
  webhook_auth_info_id: id.describe('Identifier of the authentication configuration.'),
})

const path = '/v1/webhooks/auth-info'
const onePath = `${path}/{webhook_auth_info_id}` as const

export const authInfoEndpoints = {
  createAuthInfo: {
    ...tenantRoute('POST', path, 'webhook:CreateAuthInfo'),
    summary: 'Create an authentication configuration for webhook deliveries.',
    body: creation,
    example: exampleBodies[0],
    replies: { 201: authInfo },
    location: `${path}/{id}`,
    problems: ['header_not_allowed', 'destination_not_allowed', 'too_many_auth_infos'],
    idempotent: true,
  },
  listAuthInfos: {
    ...tenantRoute('GET', path, 'webhook:ReadAuthInfo'),
    summary: 'List the authentication configurations of the tenant with masked credentials.',
    query: pageQuery,
    replies: { 200: page(authInfo) },
  },
  readAuthInfo: {
    ...tenantRoute('GET', onePath, 'webhook:ReadAuthInfo'),
    summary: 'Read an authentication configuration with masked credentials.',
    params,
    replies: { 200: authInfo },
    problems: ['auth_info_not_found'],
  },
  revealAuthInfo: {
    ...tenantRoute('GET', `${onePath}/reveal`, 'webhook:RevealAuthInfo'),
    summary: 'Reveal the credentials of an authentication configuration.',
    params,
    replies: { 200: authInfo },
    problems: ['auth_info_not_found'],
    reveals: true,
    sensitive: true,
  },
  updateAuthInfo: {
    ...tenantRoute('PUT', onePath, 'webhook:UpdateAuthInfo'),
    readsPermissions: ['webhook:RevealAuthInfo'],
    summary: 'Update the given fields of an authentication configuration.',
    description:
      'A change of `type` requires a new `config`. To add a host, or to set a `token_url` on a host that is neither the current one nor in `hosts`, requires webhook:RevealAuthInfo.',
    params,
    body: change,
    example: { name: 'Ledger' },
    replies: { 200: authInfo },
    problems: ['auth_info_not_found', 'header_not_allowed', 'destination_not_allowed'],
    sensitive: true,
  },
  deleteAuthInfo: {
    ...tenantRoute('DELETE', onePath, 'webhook:DeleteAuthInfo'),
    summary: 'Delete an authentication configuration that no subscription uses.',
    params,
    replies: { 204: null },
    problems: ['auth_info_not_found', 'auth_info_in_use'],
  },
} as const satisfies Readonly<Record<string, Endpoint<keyof typeof authInfoProblems | 'destination_not_allowed'>>>
