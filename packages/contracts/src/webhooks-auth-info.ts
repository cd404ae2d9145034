import { z } from 'zod'
import type { Endpoint } from './contract.ts'
import { id, instant, prose, text, uuid } from './field.ts'
import { host } from './host.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

/** How deliveries prove to their receiver that they come from the tenant: the part of the webhooks contract about auth infos. */
export const authInfoProblems = defineProblems({
  auth_info_not_found: {
    status: 404,
    title: 'There is no such authentication configuration',
    explanation: 'The tenant has no webhook authentication configuration with this id.',
  },
  auth_info_in_use: {
    status: 409,
    title: 'The authentication configuration is in use',
    explanation: 'A webhook subscription refers to it. Give the subscription another one, or none, and delete it then.',
  },
  too_many_auth_infos: {
    status: 409,
    title: 'The tenant has as many authentication configurations as it may have',
    explanation: 'A tenant may have 100 webhook authentication configurations. Delete one that is no longer needed.',
  },
  header_not_allowed: {
    status: 422,
    title: 'A header cannot be set',
    explanation:
      'Host, Content-Length, Content-Type, Transfer-Encoding, Connection, User-Agent, Trace-ID, those beginning with webhook- and others that a connection or the delivery itself needs are ours to set. `errors` names each that was refused.',
  },
})

/** Per tenant. */
export const authInfosMax = 100

/** Per authentication configuration. */
const hostsMax = 20

/** What stands in the place of a credential that is not shown. */
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

const isNoMask = [
  (value: string) => value !== credentialMask,
  'is the mask that stands for a credential, not a credential',
] as const
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
    if (seen.has(name.toLowerCase())) refuse('is given twice: case does not count in names of headers', [name])
    seen.add(name.toLowerCase())
  }
})

const configs = {
  custom_headers: z.strictObject({ headers }),
  basic: z.strictObject({
    username: text(255)
      .refine(...withoutControls)
      .refine((value) => !value.includes(':'), 'must have no colon'),
    password: prose(1024)
      .refine(...withoutControls)
      .refine(...isNoMask),
  }),
  api_credential: z
    .strictObject({
      location: z.enum(['header', 'query']),
      name: text(200).refine(...withoutControls),
      value: text(4096)
        .refine(...withoutControls)
        .refine(...isNoMask),
      prefix: text(100)
        .refine(...withoutControls)
        .optional()
        .describe('Put before the value as it stands: write `Bearer ` with its space'),
    })
    .superRefine(({ location, name, prefix = '', value }, context) => {
      if (location === 'query') return
      const parts = { name: headerName.safeParse(name), value: headerValue.safeParse(`${prefix}${value}`) }
      for (const [part, { error }] of Object.entries(parts)) {
        for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message, path: [part] })
      }
    }),
  oauth2_client_credentials: z.strictObject({
    token_url: text(2048),
    client_id: printable(255),
    client_secret: printable(4096),
    scope: z
      .string()
      .max(1000)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes separated by single spaces')
      .optional(),
  }),
}

type Configs = { [T in keyof typeof configs]: z.output<(typeof configs)[T]> }
export type AuthInfoType = keyof Configs
export type AuthInfoConfig<T extends AuthInfoType = AuthInfoType> = T extends unknown ? { type: T } & Configs[T] : never

const authInfoTypes = Object.keys(configs) as [AuthInfoType, ...AuthInfoType[]]

/** By which field a config is known where its type is not given. */
const telling: Readonly<Record<AuthInfoType, string>> = {
  custom_headers: 'headers',
  basic: 'username',
  api_credential: 'location',
  oauth2_client_credentials: 'token_url',
}

function typeTold(config: unknown): AuthInfoType | undefined {
  if (typeof config !== 'object' || config === null) return undefined
  return authInfoTypes.find((type) => Object.hasOwn(config, telling[type]))
}

/** Parsed as its type demands it, since a union of schemas could not say which field is wrong. */
const config = z.unknown().meta({
  description: 'What the type needs',
  anyOf: Object.values(configs).map((schema) => {
    const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' })
    return shape
  }),
})

function configOf(type: AuthInfoType | undefined, given: unknown, context: z.core.$RefinementCtx): AuthInfoConfig {
  const told = type ?? typeTold(given)
  if (told === undefined) {
    context.addIssue({ code: 'custom', message: 'must be what one of the types needs', path: ['config'] })
    return z.NEVER
  }
  const parsed = configs[told].safeParse(given)
  if (parsed.success) return { type: told, ...parsed.data } as AuthInfoConfig
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

const hosts = z
  .array(host)
  .max(hostsMax)
  .transform((given) => [...new Set(given)])
  .describe(
    'Host names that the credentials may be sent to. Sending them to another host, and adding a host here, needs webhook:RevealAuthInfo',
  )

const exampleBodies = Object.entries(examples).map(([type, config]) => ({
  name: 'Ledger',
  type,
  config,
  hosts: ['hooks.example.com'],
}))

const creation = z
  .strictObject({ name: text(200), type: z.enum(authInfoTypes), config, hosts: hosts.default([]) })
  .transform(({ name, type, config, hosts }, context) => ({ name, config: configOf(type, config, context), hosts }))
  .meta({ examples: exampleBodies })

const change = z
  .strictObject({
    name: text(200).optional(),
    type: z.enum(authInfoTypes).optional(),
    config: config.optional(),
    hosts: hosts.optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field')
  .transform(({ name, type, config, hosts }, context) => ({
    name,
    type,
    hosts,
    config: config === undefined ? undefined : configOf(type, config, context),
  }))
  .meta({ examples: [...exampleBodies, { name: 'Ledger' }, { hosts: [] }, { config: examples.basic, type: 'basic' }] })

/** As it is read: every credential masked but for a reveal; names of headers, user names and client ids are shown. */
const shownConfig = z.union([
  z.strictObject({ headers: z.record(z.string(), z.string()) }),
  z.strictObject({ username: z.string(), password: z.string() }),
  z.strictObject({
    location: z.enum(['header', 'query']),
    name: z.string(),
    value: z.string(),
    prefix: z.string().optional(),
  }),
  z.strictObject({
    token_url: z.string(),
    client_id: z.string(),
    client_secret: z.string(),
    scope: z.string().optional(),
  }),
])

const authInfo = z.object({
  id: uuid,
  name: z.string(),
  type: z.enum(authInfoTypes),
  config: shownConfig,
  hosts: z.array(z.string()),
  created_at: instant,
  updated_at: instant,
})

export type ShownConfig = z.input<typeof shownConfig>
export type AuthInfo = z.input<typeof authInfo>

const params = z.strictObject({ webhook_auth_info_id: id })

export const authInfoEndpoints = {
  createAuthInfo: {
    method: 'POST',
    path: '/v1/webhooks/auth-info',
    audience: 'tenant',
    permission: 'webhook:CreateAuthInfo',
    summary: 'Create an authentication configuration that subscriptions can refer to.',
    body: creation,
    replies: { 201: authInfo },
    problems: ['header_not_allowed', 'destination_not_allowed', 'too_many_auth_infos'],
    idempotent: true,
  },
  listAuthInfos: {
    method: 'GET',
    path: '/v1/webhooks/auth-info',
    audience: 'tenant',
    permission: 'webhook:ReadAuthInfo',
    summary: 'List the authentication configurations of the tenant, credentials masked.',
    query: pageQuery,
    replies: { 200: page(authInfo) },
  },
  readAuthInfo: {
    method: 'GET',
    path: '/v1/webhooks/auth-info/{webhook_auth_info_id}',
    audience: 'tenant',
    permission: 'webhook:ReadAuthInfo',
    summary: 'Read an authentication configuration, credentials masked.',
    params,
    replies: { 200: authInfo },
    problems: ['auth_info_not_found'],
  },
  revealAuthInfo: {
    method: 'GET',
    path: '/v1/webhooks/auth-info/{webhook_auth_info_id}/reveal',
    audience: 'tenant',
    permission: 'webhook:RevealAuthInfo',
    summary: 'Read an authentication configuration with its credentials.',
    params,
    replies: { 200: authInfo },
    problems: ['auth_info_not_found'],
    reveals: true,
  },
  updateAuthInfo: {
    method: 'PUT',
    path: '/v1/webhooks/auth-info/{webhook_auth_info_id}',
    audience: 'tenant',
    permission: 'webhook:UpdateAuthInfo',
    summary:
      'Replace the given fields of an authentication configuration. Another type needs its config. To add a host, or to name a token_url on a host that is neither the present one nor in `hosts`, needs webhook:RevealAuthInfo.',
    params,
    body: change,
    replies: { 200: authInfo },
    problems: ['auth_info_not_found', 'header_not_allowed', 'destination_not_allowed'],
  },
  deleteAuthInfo: {
    method: 'DELETE',
    path: '/v1/webhooks/auth-info/{webhook_auth_info_id}',
    audience: 'tenant',
    permission: 'webhook:DeleteAuthInfo',
    summary: 'Delete an authentication configuration that no subscription refers to.',
    params,
    replies: { 204: null },
    problems: ['auth_info_not_found', 'auth_info_in_use'],
  },
} as const satisfies Readonly<Record<string, Endpoint<keyof typeof authInfoProblems | 'destination_not_allowed'>>>
