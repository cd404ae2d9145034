import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import {
  type AuthInfo,
  type AuthInfoConfig,
  type AuthInfoType,
  authInfoProblems,
  credentialMask,
  type ShownConfig,
} from '@payments/contracts/services/webhooks/auth-info'

export interface AuthInfoFacts {
  readonly id: string
  readonly name: string
  readonly type: AuthInfoType
  readonly configMasked: unknown
  readonly hosts: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const configPurpose = 'webhooks.auth-info'

/** The record that an encrypted config is bound to. */
export function configBinding(tenantId: string, authInfoId: string) {
  return { purpose: configPurpose, tenantId, recordId: authInfoId }
}

/** The subscriptions that use an auth info: the first ids, and how many there are. */
export interface AuthInfoUse {
  readonly ids: readonly string[]
  readonly count: number
}

export const unused: AuthInfoUse = { ids: [], count: 0 }

/** `config`: only for a reveal. */
export function presentAuthInfo(authInfo: AuthInfoFacts, use: AuthInfoUse, config?: AuthInfoConfig): AuthInfo {
  return {
    id: authInfo.id,
    name: authInfo.name,
    type: authInfo.type,
    config: config === undefined ? (authInfo.configMasked as ShownConfig) : toShownConfig(config),
    hosts: [...authInfo.hosts],
    subscription_ids: [...use.ids],
    subscription_count: use.count,
    created_at: authInfo.createdAt.toISOString(),
    updated_at: authInfo.updatedAt.toISOString(),
  }
}

function toShownConfig(config: AuthInfoConfig): ShownConfig {
  const { type: _, ...rest } = config
  return rest as ShownConfig
}

/** Masks every credential. Header values are credentials; header names, user names and client ids are not. */
export function maskConfig(config: AuthInfoConfig): ShownConfig {
  switch (config.type) {
    case 'custom_headers':
      return { headers: Object.fromEntries(Object.keys(config.headers).map((name) => [name, credentialMask])) }
    case 'basic':
      return toShownConfig({ ...config, password: credentialMask })
    case 'api_credential':
      return toShownConfig({ ...config, value: credentialMask })
    case 'oauth2_client_credentials':
      return toShownConfig({ ...config, client_secret: credentialMask })
  }
}

/** Headers that the dispatcher or the HTTP connection sets. A second value would break the request. */
const reservedHeaders = new Set([
  ...['host', 'content-length', 'content-type', 'content-encoding', 'user-agent', 'trace-id', 'traceparent', 'expect'],
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
])

/** Throws header_not_allowed, which names each reserved header of the config. */
export function rejectReservedHeaders(config: AuthInfoConfig): void {
  const errors = listHeaders(config)
    .filter(({ name }) => reservedHeaders.has(name.toLowerCase()) || name.toLowerCase().startsWith('webhook-'))
    .map(({ pointer }) => ({ pointer, detail: 'names a header that the platform sets itself' }))
  if (errors.length > 0) throw new Problem(authInfoProblems.header_not_allowed, { errors })
}

function listHeaders(config: AuthInfoConfig): { name: string; pointer: string }[] {
  if (config.type === 'custom_headers') {
    return Object.keys(config.headers).map((name) => ({
      name,
      pointer: `/config/headers/${name.replaceAll('~', '~0')}`,
    }))
  }
  return config.type === 'api_credential' && config.location === 'header'
    ? [{ name: config.name, pointer: '/config/name' }]
    : []
}

/** Rejects a change after which type and config do not match. Throws invalid_request. */
export function rejectTypeMismatch(
  present: AuthInfoType,
  change: { readonly type?: AuthInfoType | undefined; readonly config?: AuthInfoConfig | undefined },
): void {
  const type = change.type ?? present
  if ((change.config?.type ?? present) === type) return
  const detail =
    change.config === undefined
      ? `is required, because the type changes from ${present} to ${type}`
      : `must be a config of type ${type}, or the request must also change the type`
  throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: '/config', detail }] })
}
