/**
 * **What it does.** Adds every missing variable to the Secrets of an installation, and changes no variable that exists.
 *
 * **Guarantees.** Both ends of a pair of processes get the same key. A key that exists at one end is copied to the
 * other end. Two ends with different keys, or a current id without its key, are an error, and nothing is written.
 *
 * **Not guaranteed.** Recovery of a Secret that was lost: its encryption keys and peppers are new, and do not decrypt
 * what the lost ones encrypted.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { gatewayName } from '@payments/contracts/edges/calls'
import { eventEdges } from '@payments/contracts/edges/events'
import { commandFailure } from '../arguments.ts'
import {
  appRoleName,
  auditProducers,
  brokerUserName,
  databaseName,
  type EnvironmentName,
  edges,
  keyRings,
  ownerRole,
  ownerSecretName,
  secretLayouts,
  services,
} from './layout.ts'

/** Variables by the name of their Secret. */
export type Secrets = ReadonlyMap<string, ReadonlyMap<string, string>>

interface Inputs {
  readonly environment: EnvironmentName
  /** Host, port and parameters of PostgreSQL. Each service has its credentials and its database. */
  readonly postgresUrl: string
  /** Host, port and vhost of RabbitMQ. */
  readonly rabbitmqUrl: string
  /** JSON. */
  readonly jwtIssuers: string
}

type KeyRing = (typeof keyRings)[keyof typeof keyRings]
type Draft = ReadonlyMap<string, Map<string, string>>

/** The existing Secrets with what they lack. Throws a CommanderError that names Secrets which contradict each other. */
export function completeSecrets(existing: Secrets, inputs: Inputs): Secrets {
  const draft: Draft = new Map(secretLayouts.map(({ name }) => [name, new Map(existing.get(name))]))
  addSharedKeys(draft)
  addUrls(draft, inputs)
  const id = `${inputs.environment}-1`
  for (const { name, variables } of secretLayouts) {
    for (const ring of Object.values(keyRings)) if (variables.includes(ring[0])) addRing(draft, name, ring, id)
  }
  addMissing(draft, gatewayName, 'JWT_ISSUERS', () => inputs.jwtIssuers)
  addMissing(draft, 'communication', 'COMMUNICATION_HTTP_SECRET', () => `whsec_${newKey()}`)
  return draft
}

const newKey = () => randomBytes(32).toString('base64')
/** P-256 in PKCS #8 DER. */
const newTokenKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'der' })
    .toString('base64')
const newPassword = () => randomBytes(32).toString('base64url')

function variablesIn(draft: Draft, secret: string): Map<string, string> {
  const variables = draft.get(secret)
  if (variables === undefined) throw new Error(`no Secret ${secret} in the layout`)
  return variables
}

function addMissing(draft: Draft, secret: string, variable: string, make: () => string): void {
  const variables = variablesIn(draft, secret)
  if (!variables.has(variable)) variables.set(variable, make())
}

/** One entry of a variable that is a JSON object of keys. */
interface End {
  readonly secret: string
  readonly variable: string
  readonly entry: string
}

function addSharedKeys(draft: Draft): void {
  for (const { issuer, audience } of edges) {
    share(draft, [
      { secret: issuer, variable: 'ASSERTION_SIGN_KEYS', entry: audience },
      { secret: audience, variable: 'ASSERTION_VERIFY_KEYS', entry: issuer },
    ])
  }
  for (const { issuer, audience } of eventEdges) {
    share(draft, [
      { secret: issuer, variable: 'EVENT_SIGN_KEYS', entry: audience },
      { secret: audience, variable: 'EVENT_VERIFY_KEYS', entry: issuer },
    ])
  }
  for (const producer of auditProducers) {
    // A rotated key has another name, such as gateway-2, and a producer has exactly one.
    const names = Object.keys(keysIn(draft, producer, 'AUDIT_MESSAGE_KEY'))
    for (const entry of names.length === 0 ? [producer] : names) {
      share(draft, [
        { secret: producer, variable: 'AUDIT_MESSAGE_KEY', entry },
        { secret: 'audit', variable: 'AUDIT_MESSAGE_KEYS', entry },
      ])
    }
  }
}

/** Gives all ends the key that one of them has, or a new one. */
function share(draft: Draft, ends: readonly End[]): void {
  const known = new Set(ends.flatMap(({ secret, variable, entry }) => keysIn(draft, secret, variable)[entry] ?? []))
  if (known.size > 1) {
    const places = ends.map(({ secret, variable, entry }) => `${variable} of ${secret}, entry ${entry}`)
    throw commandFailure(`${places.join(' and ')}: the keys differ. Restore the one in use at both ends`)
  }
  const [key = newKey()] = known
  for (const { secret, variable, entry } of ends) {
    const keys = keysIn(draft, secret, variable)
    if (keys[entry] === undefined) {
      variablesIn(draft, secret).set(variable, JSON.stringify({ ...keys, [entry]: key }))
    }
  }
}

function keysIn(draft: Draft, secret: string, variable: string): Readonly<Record<string, string>> {
  const text = variablesIn(draft, secret).get(variable)
  if (text === undefined) return {}
  try {
    const keys: unknown = JSON.parse(text)
    if (typeof keys === 'object' && keys !== null && !Array.isArray(keys)) return keys as Record<string, string>
  } catch {
    // Reported below: the parser's message would contain the key.
  }
  throw commandFailure(`${variable} of ${secret} is not a JSON object`)
}

/** Keys by id, and the id of the current one. */
function addRing(draft: Draft, secret: string, [keys, current]: KeyRing, id: string): void {
  const variables = variablesIn(draft, secret)
  const ids = Object.keys(keysIn(draft, secret, keys))
  const currentId = variables.get(current)
  if (currentId !== undefined && !ids.includes(currentId)) {
    throw commandFailure(`${current} of ${secret} is ${currentId}, which ${keys} does not contain. Restore ${keys}`)
  }
  if (ids.length === 0)
    variables.set(keys, JSON.stringify({ [id]: keys === keyRings.sessionToken[0] ? newTokenKey() : newKey() }))
  if (currentId !== undefined) return
  if (ids.length > 1) throw commandFailure(`${current} of ${secret} is missing, and ${keys} has ${ids.length} ids`)
  variables.set(current, ids[0] ?? id)
}

function addUrls(draft: Draft, { postgresUrl, rabbitmqUrl }: Inputs): void {
  const ownerPassword = passwordOfOwner(draft) ?? newPassword()
  for (const service of services) {
    const database = databaseName(service)
    const url = (role: string, password: string) => withCredentials(postgresUrl, role, password, `/${database}`)
    addMissing(draft, service, 'DATABASE_URL', () => url(appRoleName(service), newPassword()))
    addMissing(draft, ownerSecretName(service), 'DATABASE_URL', () => url(ownerRole, ownerPassword))
  }
  for (const secret of [gatewayName, ...services])
    addMissing(draft, secret, 'AMQP_URL', () => withCredentials(rabbitmqUrl, brokerUserName(secret), newPassword()))
}

/** One role owns every database, so the owner of a new one has the password of the others. */
function passwordOfOwner(draft: Draft): string | undefined {
  const urls = services.flatMap((service) => variablesIn(draft, ownerSecretName(service)).get('DATABASE_URL') ?? [])
  const own = urls.filter((url) => URL.canParse(url)).map((url) => new URL(url))
  return own.find(({ username }) => username === ownerRole)?.password
}

function withCredentials(base: string, user: string, password: string, path?: string): string {
  const url = new URL(base)
  url.username = user
  url.password = password
  if (path !== undefined) url.pathname = path
  return url.href
}
