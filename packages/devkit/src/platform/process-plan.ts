/** The processes of the local stack with their ports and their whole environment. */
import { join } from 'node:path'
import { edgesOf, gatewayName } from '@payments/contracts/edges/calls'
import { contracts } from '@payments/contracts/edges/contracts'
import { eventEdges } from '@payments/contracts/edges/events'
import type { PortUse } from '../machine/ports.ts'
import type { Environment } from '../machine/profile.ts'
import { edgeKey, type Secrets } from '../machine/secrets.ts'
import { type Service, services } from '../servers/databases.ts'
import { developmentAudience, developmentIssuer, developmentLifetimeSecondsMax, issuerFiles } from './issuer.ts'
import { type Ports, portTable } from './process-ports.ts'

export const processNames = [
  'rbac',
  'api-key',
  'webhooks',
  'webhooks-dispatcher',
  'payment-proxy',
  'business-unit',
  'communication',
  'invite-to-pay',
  'audit',
  'gateway',
] as const
export type ProcessName = (typeof processNames)[number]

/**
 * Flags of every process but the gateway, as in the Dockerfile. A larger young generation: with the default of 16 MB,
 * most objects of a request or delivery survive a collection and are copied. The bound of the old generation keeps the
 * heap below the memory limit in k8s/base (docs/sizing.md).
 */
export const serviceFlags = ['--enable-source-maps', '--max-semi-space-size=64', '--max-old-space-size=256'] as const

/** Flags of the gateway, as in k8s/base/gateway.yaml (docs/performance.md). */
export const gatewayFlags = ['--enable-source-maps', '--max-semi-space-size=32', '--max-old-space-size=192'] as const

export interface ProcessPlan {
  readonly name: ProcessName
  /** Relative to the checkout. */
  readonly directory: string
  readonly entry: string
  /** Of Node. */
  readonly flags: readonly string[]
  readonly env: Environment
  readonly ports: readonly PortUse[]
  readonly readyUrl: string
}

/** The callers of each service, from the contracts. Both ends derive the key of their edge from the master secret. */
const edges = edgesOf(contracts)

function signKeys(secrets: Secrets, self: string): string {
  const own = edges.filter(({ issuer }) => issuer === self)
  return JSON.stringify(Object.fromEntries(own.map(({ audience }) => [audience, edgeKey(secrets, self, audience)])))
}

function verifyKeys(secrets: Secrets, self: string): string {
  const own = edges.filter(({ audience }) => audience === self)
  return JSON.stringify(Object.fromEntries(own.map(({ issuer }) => [issuer, edgeKey(secrets, issuer, self)])))
}

/** The keys of events, as those of assertions. `self` is at the end `own` of each pair. */
function eventKeys(secrets: Secrets, self: string, own: 'issuer' | 'audience'): string {
  const other = own === 'issuer' ? 'audience' : 'issuer'
  const keys = eventEdges
    .filter((edge) => edge[own] === self)
    .map((edge) => [edge[other], edgeKey(secrets, edge.issuer, `${edge.audience}.events`)])
  return JSON.stringify(Object.fromEntries(keys))
}

/** The processes that publish audit records. */
const auditProducers = ['gateway', ...services] as const

function auditMessageKey(secrets: Secrets, producer: string): string {
  return edgeKey(secrets, producer, 'audit.records')
}

function auditVariables({ secrets, directory }: LocalStackOptions): Environment {
  const messageKeys = Object.fromEntries(auditProducers.map((name) => [name, auditMessageKey(secrets, name)]))
  return {
    AUDIT_MESSAGE_KEYS: JSON.stringify(messageKeys),
    AUDIT_SEAL_KEYS: JSON.stringify({ dev: edgeKey(secrets, 'audit', 'audit.seals') }),
    AUDIT_SEAL_KEY_CURRENT: 'dev',
    AUDIT_CHECKPOINT_DIRECTORY: join(directory, 'checkpoints'),
  }
}

export interface LocalStackOptions {
  /** Directory of the files of the development issuer. */
  readonly directory: string
  readonly secrets: Secrets
  readonly ports: Ports
  /** Of each service, as its own role. */
  readonly databaseUrls: Readonly<Record<Service, string>>
  /** Of each process with a user of its own at RabbitMQ. */
  readonly amqpUrls: Readonly<Record<string, string>>
  readonly messagingPrefix: string
  /** The environment of the caller, which takes precedence over the values here. */
  readonly overrides: Environment
}

/**
 * Variables of one process. In the environment of the caller, such a name belongs to another process or to the
 * servers.
 */
const ownVariables = ['PORT', 'HOST', 'INTERNAL_PORT', 'DATABASE_URL', 'AMQP_URL', 'NODE_OPTIONS'] as const
const gatewayVariables = ['PORT', 'HOST', 'INTERNAL_PORT'] as const

export function processPlans(options: LocalStackOptions): ProcessPlan[] {
  const { secrets, ports, overrides } = options
  const passed = without(overrides, ownVariables)
  const everywhere = { ENVIRONMENT: 'dev', LOG_LEVEL: 'info', DRAIN_DELAY_MS: '0' }
  const vault = { VAULT_KEYS: JSON.stringify({ dev: secrets.vaultKey }), VAULT_KEY_CURRENT: 'dev' }
  const own: Record<ProcessName, Environment> = {
    'api-key': {
      ...serviceVariables(options, 'api-key', ports.apiKey),
      ...vault,
      RBAC_URL: at(ports.rbac),
      API_KEY_PEPPERS: JSON.stringify({ dev: secrets.apiKeyPepper }),
      API_KEY_PEPPER_CURRENT: 'dev',
    },
    rbac: { ...serviceVariables(options, 'rbac', ports.rbac), API_KEY_URL: at(ports.apiKey) },
    webhooks: {
      ...serviceVariables(options, 'webhooks', ports.webhooks),
      ...vault,
      BUSINESS_UNIT_URL: at(ports.businessUnit),
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
    'webhooks-dispatcher': {
      ...serviceVariables(options, 'webhooks', undefined),
      ...vault,
      INTERNAL_PORT: String(ports.dispatcherInternal),
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
    'payment-proxy': {
      ...serviceVariables(options, 'payment-proxy', ports.paymentProxy),
      BUSINESS_UNIT_URL: at(ports.businessUnit),
      INVITE_TO_PAY_URL: at(ports.inviteToPay),
      PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true',
    },
    'business-unit': {
      ...serviceVariables(options, 'business-unit', ports.businessUnit),
      ...vault,
      PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true',
      PAY_BASE_URL: at(ports.gateway),
    },
    communication: {
      ...serviceVariables(options, 'communication', ports.communication),
      BUSINESS_UNIT_URL: at(ports.businessUnit),
      COMMUNICATION_EMAIL_PROVIDER: 'outbox',
      COMMUNICATION_SMS_PROVIDER: 'outbox',
    },
    'invite-to-pay': {
      ...serviceVariables(options, 'invite-to-pay', ports.inviteToPay),
      ...vault,
      RBAC_URL: at(ports.rbac),
      BUSINESS_UNIT_URL: at(ports.businessUnit),
      PAYMENT_PROXY_URL: at(ports.paymentProxy),
      COMMUNICATION_URL: at(ports.communication),
      PAY_BASE_URL: at(ports.gateway),
    },
    audit: { ...serviceVariables(options, 'audit', ports.audit), ...auditVariables(options) },
    gateway: gatewayEnvironment(options),
  }
  return processNames.map((name) => {
    const forGateway = name === 'gateway' ? only(overrides, gatewayVariables) : {}
    const { directory, entry, listens, ready } = placement[name]
    return {
      name,
      directory,
      entry,
      flags: name === 'gateway' ? gatewayFlags : serviceFlags,
      env: { ...everywhere, ...own[name], ...passed, ...forGateway },
      ports: listens.map((key) => ({ port: ports[key], ...only(portTable[key], ['variable', 'purpose'] as const) })),
      readyUrl: `${at(ports[ready])}/readyz`,
    }
  })
}

function gatewayEnvironment(options: LocalStackOptions): Environment {
  const { secrets, ports } = options
  const issuer = issuerFiles(options.directory)
  return {
    HOST: '127.0.0.1',
    PORT: String(ports.gateway),
    INTERNAL_PORT: String(ports.gatewayInternal),
    ...serviceUrls(ports),
    AMQP_URL: options.amqpUrls[gatewayName],
    MESSAGING_PREFIX: options.messagingPrefix,
    AUDIT_DIRECTORY: join(options.directory, 'audit'),
    AUDIT_MESSAGE_KEY: JSON.stringify({ gateway: auditMessageKey(secrets, 'gateway') }),
    ASSERTION_SIGN_KEYS: signKeys(secrets, 'gateway'),
    JWT_ISSUERS: JSON.stringify([
      {
        issuer: developmentIssuer,
        audience: developmentAudience,
        algorithms: ['ES256'],
        jwks_file: issuer.jwksFile,
        tenant_claim: 'tenant_id',
        roles_claim: 'roles',
        tenants: '*',
        lifetime_seconds_max: developmentLifetimeSecondsMax,
      },
    ]),
    // On one machine, all clients have the same address.
    FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
    UNVERIFIED_REQUESTS_PER_MINUTE: '1000000',
    PROVIDER_WEBHOOKS_PER_MINUTE: '1000000',
    UPSTREAM_REQUESTS_PER_ADDRESS_MAX: '256',
    CONNECTIONS_PER_ADDRESS_MAX: '5000',
  }
}

interface Placement extends Pick<ProcessPlan, 'directory' | 'entry'> {
  readonly listens: ReadonlyArray<keyof Ports>
  readonly ready: keyof Ports
}

const placed = (directory: string, port: keyof Ports, entry = 'dist/main.js'): Placement => ({
  directory,
  entry,
  listens: [port],
  ready: port,
})

const placement: Readonly<Record<ProcessName, Placement>> = {
  rbac: placed('services/rbac', 'rbac'),
  'api-key': placed('services/api-key', 'apiKey'),
  webhooks: placed('services/webhooks', 'webhooks'),
  'webhooks-dispatcher': placed('services/webhooks', 'dispatcherInternal', 'dist/dispatcher.js'),
  'payment-proxy': placed('services/payment-proxy', 'paymentProxy'),
  'business-unit': placed('services/business-unit', 'businessUnit'),
  communication: placed('services/communication', 'communication'),
  'invite-to-pay': placed('services/invite-to-pay', 'inviteToPay'),
  audit: placed('services/audit', 'audit'),
  gateway: { ...placed('gateway', 'gatewayInternal'), listens: ['gateway', 'gatewayInternal'] },
}

/** The environment of payctl against this local stack. */
export function payctlEnvironment(options: LocalStackOptions): Readonly<Record<string, string>> {
  return {
    ENVIRONMENT: 'dev',
    ...serviceUrls(options.ports),
    ASSERTION_SIGN_KEYS: signKeys(options.secrets, 'payctl'),
    DEV_ISSUER_KEY_FILE: issuerFiles(options.directory).keyFile,
    DEV_ISSUER: developmentIssuer,
  }
}

function serviceVariables(options: LocalStackOptions, service: Service, port: number | undefined): Environment {
  const sign = signKeys(options.secrets, service)
  return {
    HOST: '127.0.0.1',
    ...(port === undefined ? {} : { PORT: String(port) }),
    DATABASE_URL: options.databaseUrls[service],
    AMQP_URL: options.amqpUrls[service],
    MESSAGING_PREFIX: options.messagingPrefix,
    ASSERTION_VERIFY_KEYS: verifyKeys(options.secrets, service),
    AUDIT_MESSAGE_KEY: JSON.stringify({ [service]: auditMessageKey(options.secrets, service) }),
    ...(sign === '{}' ? {} : { ASSERTION_SIGN_KEYS: sign }),
    EVENT_SIGN_KEYS: eventKeys(options.secrets, service, 'issuer'),
    EVENT_VERIFY_KEYS: eventKeys(options.secrets, service, 'audience'),
  }
}

function serviceUrls(ports: Ports) {
  return {
    API_KEY_URL: at(ports.apiKey),
    RBAC_URL: at(ports.rbac),
    WEBHOOKS_URL: at(ports.webhooks),
    PAYMENT_PROXY_URL: at(ports.paymentProxy),
    BUSINESS_UNIT_URL: at(ports.businessUnit),
    COMMUNICATION_URL: at(ports.communication),
    INVITE_TO_PAY_URL: at(ports.inviteToPay),
    AUDIT_URL: at(ports.audit),
  }
}

const at = (port: number): string => `http://127.0.0.1:${port}`

function without(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !names.includes(name) && value !== undefined))
}

function only<T extends object, K extends string>(from: T, names: readonly K[]): { [P in K & keyof T]: T[P] } {
  const chosen = Object.entries(from).filter(
    ([name, value]) => (names as readonly string[]).includes(name) && value !== undefined,
  )
  return Object.fromEntries(chosen) as { [P in K & keyof T]: T[P] }
}
