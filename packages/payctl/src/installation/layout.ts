import { gatewayName, listEdges } from '@payments/contracts/edges/calls'
import { contracts, serviceNames } from '@payments/contracts/edges/contracts'
import { eventEdges } from '@payments/contracts/edges/events'

/**
 * The Secrets of an installation: which exist, and which process reads which variable. Kubernetes has one Secret per
 * entry; without Kubernetes each process has one file.
 */
export const environments = ['dev', 'qa', 'prod'] as const
export type EnvironmentName = (typeof environments)[number]

export const services: readonly string[] = serviceNames
export const edges = listEdges(contracts)

/** The services that encrypt secrets: they have the endpoints that rotate keys. */
const withVault = new Set(
  contracts.filter(({ endpoints }) => 'rewrapDataKeys' in endpoints).map(({ service }) => service),
)

/** Keys that are rotated: a variable with the keys by id, and one with the id of the current key. */
export const keyRings = {
  vault: ['VAULT_KEYS', 'VAULT_KEY_CURRENT'],
  apiKeyPepper: ['API_KEY_PEPPERS', 'API_KEY_PEPPER_CURRENT'],
  sessionPepper: ['SESSION_PEPPERS', 'SESSION_PEPPER_CURRENT'],
  sessionToken: ['SESSION_TOKEN_KEYS', 'SESSION_TOKEN_KEY_CURRENT'],
  payerHash: ['PAYER_HASH_KEYS', 'PAYER_HASH_KEY_CURRENT'],
  auditSeal: ['AUDIT_SEAL_KEYS', 'AUDIT_SEAL_KEY_CURRENT'],
} as const

/** The role that owns every database and runs the migrations. */
export const ownerRole = 'payments_owner'
export const databaseName = (service: string): string => `payments_${service.replaceAll('-', '_')}`
export const appRoleName = (service: string): string => `${databaseName(service)}_app`
/** The user of a process at RabbitMQ. */
export const brokerUserName = (secret: string): string => `payments-${secret}`
export const ownerSecretName = (service: string): string => `${service}-owner`

/** The processes that publish audit records. */
export const auditProducers: readonly string[] = [gatewayName, ...services]

interface Reader {
  /** The process, which names its file. */
  readonly process: string
  /** A part of the variables of the Secret; undefined: all. */
  readonly variables?: readonly string[]
}

export interface SecretLayout {
  /** The name of the Secret in Kubernetes. */
  readonly name: string
  readonly variables: readonly string[]
  readonly readers: readonly Reader[]
}

/** Every Secret of an installation, with the variables that generation provides. */
export const secretLayouts: readonly SecretLayout[] = [
  layout(gatewayName, ['ASSERTION_SIGN_KEYS', 'JWT_ISSUERS', 'AMQP_URL', 'AUDIT_MESSAGE_KEY']),
  ...services.map((service) => layout(service, listVariables(service), listReaders(service))),
  ...services.map((service) => layout(ownerSecretName(service), ['DATABASE_URL'], [{ process: `migrate-${service}` }])),
  layout('payctl', ['ASSERTION_SIGN_KEYS']),
]

function layout(
  name: string,
  variables: readonly string[],
  readers: readonly Reader[] = [{ process: name }],
): SecretLayout {
  return { name, variables, readers }
}

function listVariables(service: string): readonly string[] {
  const calls = edges.some(({ issuer }) => issuer === service)
  const publishes = eventEdges.some(({ issuer }) => issuer === service)
  const consumes = eventEdges.some(({ audience }) => audience === service)
  return [
    'DATABASE_URL',
    'AMQP_URL',
    'AUDIT_MESSAGE_KEY',
    'ASSERTION_VERIFY_KEYS',
    ...(calls ? ['ASSERTION_SIGN_KEYS'] : []),
    ...(publishes ? ['EVENT_SIGN_KEYS'] : []),
    ...(consumes ? ['EVENT_VERIFY_KEYS'] : []),
    ...(withVault.has(service) ? keyRings.vault : []),
    ...(service === 'api-key' ? keyRings.apiKeyPepper : []),
    ...(service === 'identity' ? [...keyRings.sessionPepper, ...keyRings.sessionToken] : []),
    ...(service === 'communication' ? ['COMMUNICATION_HTTP_SECRET', ...keyRings.payerHash] : []),
    ...(service === 'invite-to-pay' ? keyRings.payerHash : []),
    ...(service === 'audit' ? ['AUDIT_MESSAGE_KEYS', ...keyRings.auditSeal] : []),
  ]
}

/** The dispatcher is the second process of webhooks, and receives no calls. */
function listReaders(service: string): readonly Reader[] {
  if (service !== 'webhooks') return [{ process: service }]
  return [
    { process: 'webhooks' },
    { process: 'webhooks-dispatcher', variables: ['DATABASE_URL', 'AMQP_URL', 'EVENT_VERIFY_KEYS', ...keyRings.vault] },
  ]
}
