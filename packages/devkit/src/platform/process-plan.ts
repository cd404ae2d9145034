/** The processes of the local stack with their ports and their whole environment. */
import { join } from 'node:path'
import { type Edge, gatewayName, listEdges } from '@payments/contracts/edges/calls'
import { contracts } from '@payments/contracts/edges/contracts'
import { eventEdges } from '@payments/contracts/edges/events'
import { urlVariable } from '@payments/contracts/edges/service-urls'
import type { PortUse } from '../machine/ports.ts'
import type { Environment } from '../machine/profile.ts'
import { edgeKey, type Secrets } from '../machine/secrets.ts'
import { type Service, services } from '../servers/databases.ts'
import { developmentAudience, developmentIssuer, developmentLifetimeSecondsMax, issuerFiles } from './issuer.ts'
import { type Ports, portTable } from './process-ports.ts'
import { signInProviderEnvironment, signInProviderName, signInVariables } from './sign-in-provider.ts'

export type ProcessName = Service | 'webhooks-dispatcher' | 'gateway'
export const processNames: readonly ProcessName[] = [...services, 'webhooks-dispatcher', 'gateway']
/** A process of the local stack: one of the platform, or the development sign-in provider. */
export type LocalProcessName = ProcessName | typeof signInProviderName

/**
 * Flags of every process but the gateway, as in the Dockerfile. A larger young generation: with the default of 16 MB,
 * most objects of a request or delivery survive a collection and are copied. The bound of the old generation keeps the
 * heap below the memory limit in k8s/base (docs/sizing.md).
 */
export const serviceFlags = ['--enable-source-maps', '--max-semi-space-size=64', '--max-old-space-size=256'] as const

/** Flags of the gateway, as in k8s/base/gateway.yaml (docs/performance.md). */
export const gatewayFlags = ['--enable-source-maps', '--max-semi-space-size=32', '--max-old-space-size=192'] as const

export interface ProcessPlan {
  readonly name: LocalProcessName
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
const edges = listEdges(contracts)

/**
 * The keys of `self`, by the other process of each pair. `self` is at the end `own` of the pairs. `purpose`: a suffix
 * of the audience for keys other than those of assertions.
 */
function pairKeys(secrets: Secrets, pairs: readonly Edge[], self: string, own: keyof Edge, purpose = ''): string {
  const other = own === 'issuer' ? 'audience' : 'issuer'
  const keys = pairs
    .filter((pair) => pair[own] === self)
    .map((pair) => [pair[other], edgeKey(secrets, pair.issuer, `${pair.audience}${purpose}`)])
  return JSON.stringify(Object.fromEntries(keys))
}

const signKeys = (secrets: Secrets, self: string) => pairKeys(secrets, edges, self, 'issuer')

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

function payerHashVariables(secrets: Secrets, service: string): Environment {
  return {
    PAYER_HASH_KEYS: JSON.stringify({ dev: edgeKey(secrets, service, 'payers') }),
    PAYER_HASH_KEY_CURRENT: 'dev',
  }
}

export interface LocalStackOptions {
  /** Directory of the files of the development issuer and the development sign-in provider. */
  readonly directory: string
  readonly secrets: Secrets
  readonly ports: Ports
  /** Of each service, as its own role. */
  readonly databaseUrls: Readonly<Record<Service, string>>
  /** Of each process with its own user at RabbitMQ. */
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
  const everywhere = { ENVIRONMENT: 'dev', LOG_LEVEL: 'info', LOG_REQUEST_SHARE: '1', DRAIN_DELAY_MS: '0' }
  const vault = { VAULT_KEYS: JSON.stringify({ dev: secrets.vaultKey }), VAULT_KEY_CURRENT: 'dev' }
  /** The variables that only one process has. */
  const own: Partial<Record<ProcessName, Environment>> = {
    'api-key': {
      ...vault,
      API_KEY_PEPPERS: JSON.stringify({ dev: secrets.apiKeyPepper }),
      API_KEY_PEPPER_CURRENT: 'dev',
    },
    webhooks: { ...vault, WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true' },
    'webhooks-dispatcher': {
      ...vault,
      INTERNAL_PORT: String(ports.dispatcherInternal),
      WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
    },
    'payment-proxy': { PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true', PAY_BASE_URL: at(ports.gateway) },
    'business-unit': { ...vault, PAYMENTS_ALLOW_PRIVATE_PROVIDERS: 'true', PAY_BASE_URL: at(ports.gateway) },
    communication: {
      ...payerHashVariables(secrets, 'communication'),
      COMMUNICATION_EMAIL_PROVIDER: 'outbox',
      COMMUNICATION_SMS_PROVIDER: 'outbox',
    },
    'invite-to-pay': {
      ...vault,
      ...payerHashVariables(secrets, 'invite-to-pay'),
      PAY_BASE_URL: at(ports.gateway),
      CARD_PAGE_ORIGIN: cardPageOrigin(ports),
    },
    identity: {
      ...vault,
      CONSOLE_ORIGIN: at(ports.gateway),
      ...signInVariables(options.directory, at(ports.devSignIn)),
      SESSION_PEPPERS: JSON.stringify({ dev: secrets.sessionPepper }),
      SESSION_PEPPER_CURRENT: 'dev',
      SESSION_TOKEN_KEYS: JSON.stringify({ dev: secrets.sessionTokenKey }),
      SESSION_TOKEN_KEY_CURRENT: 'dev',
    },
    audit: auditVariables(options),
    gateway: gatewayEnvironment(options),
  }
  return processNames.map((name) => {
    const forGateway = name === 'gateway' ? only(overrides, gatewayVariables) : {}
    const { directory, entry, listens, ready } = placeProcess(name)
    const ofService = name === 'gateway' ? {} : serviceVariables(options, name)
    return {
      name,
      directory,
      entry,
      flags: name === 'gateway' ? gatewayFlags : serviceFlags,
      env: { ...everywhere, ...ofService, ...own[name], ...passed, ...forGateway },
      ports: listens.map((key) => portUse(ports, key)),
      readyUrl: `${at(ports[ready])}/readyz`,
    }
  })
}

/** The processes of the platform, and the development sign-in provider. */
export function localPlans(options: LocalStackOptions): ProcessPlan[] {
  const { directory, ports, overrides } = options
  const issuer = at(ports.devSignIn)
  const consoleOrigin = overrides['CONSOLE_ORIGIN'] ?? at(ports.gateway)
  const env = {
    ...without(overrides, ownVariables),
    ...signInProviderEnvironment(directory, issuer, consoleOrigin),
  }
  const signInProvider: ProcessPlan = {
    name: signInProviderName,
    directory: 'packages/devkit',
    entry: 'dist/sign-in/main.js',
    flags: ['--enable-source-maps'],
    env,
    ports: [portUse(ports, 'devSignIn')],
    readyUrl: `${issuer}/readyz`,
  }
  return [...processPlans(options), signInProvider]
}

function portUse(ports: Ports, key: keyof Ports): PortUse {
  const { variable, purpose } = portTable[key]
  return { port: ports[key], variable, purpose }
}

function gatewayEnvironment(options: LocalStackOptions): Environment {
  const { secrets, ports } = options
  const issuer = issuerFiles(options.directory)
  return {
    HOST: '127.0.0.1',
    PORT: String(ports.gateway),
    INTERNAL_PORT: String(ports.gatewayInternal),
    ...serviceUrls(ports),
    API_ORIGIN: at(ports.gateway),
    CONSOLE_ORIGIN: at(ports.gateway),
    CARD_PAGE_ORIGIN: cardPageOrigin(ports),
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

function placeProcess(name: ProcessName): Placement {
  if (name === 'gateway') {
    return { directory: name, entry: 'dist/main.js', listens: ['gateway', 'gatewayInternal'], ready: 'gatewayInternal' }
  }
  if (name === 'webhooks-dispatcher') {
    const port = 'dispatcherInternal'
    return { directory: 'services/webhooks', entry: 'dist/dispatcher.js', listens: [port], ready: port }
  }
  return { directory: `services/${name}`, entry: 'dist/main.js', listens: [name], ready: name }
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

/** The variables that follow from the contracts. */
function serviceVariables(options: LocalStackOptions, name: Exclude<ProcessName, 'gateway'>): Environment {
  const service = name === 'webhooks-dispatcher' ? 'webhooks' : name
  const { secrets, ports } = options
  const calls = name === service ? services.filter((called) => calledBy(service, called)) : []
  return {
    HOST: '127.0.0.1',
    ...(name === service ? { PORT: String(ports[service]) } : {}),
    DATABASE_URL: options.databaseUrls[service],
    AMQP_URL: options.amqpUrls[service],
    MESSAGING_PREFIX: options.messagingPrefix,
    ASSERTION_VERIFY_KEYS: pairKeys(secrets, edges, service, 'audience'),
    AUDIT_MESSAGE_KEY: JSON.stringify({ [service]: auditMessageKey(secrets, service) }),
    ...(calls.length === 0 ? {} : { ...serviceUrls(ports, calls), ASSERTION_SIGN_KEYS: signKeys(secrets, service) }),
    EVENT_SIGN_KEYS: pairKeys(secrets, eventEdges, service, 'issuer', '.events'),
    EVENT_VERIFY_KEYS: pairKeys(secrets, eventEdges, service, 'audience', '.events'),
  }
}

const calledBy = (issuer: Service, audience: Service) =>
  edges.some((edge) => edge.issuer === issuer && edge.audience === audience)

const serviceUrls = (ports: Ports, called: readonly Service[] = services): Environment =>
  Object.fromEntries(called.map((service) => [urlVariable(service), at(ports[service])]))

const at = (port: number): string => `http://127.0.0.1:${port}`

/** The card page needs another host than the pay page. */
const cardPageOrigin = ({ gateway }: Ports): string => `http://localhost:${gateway}`

function without(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !names.includes(name) && value !== undefined))
}

function only(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => names.includes(name) && value !== undefined))
}
