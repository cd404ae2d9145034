import { createPrivateKey, createPublicKey, hash, type KeyObject, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import jwt from 'jsonwebtoken'
import { commandFailure, emailAddress, shortText, usageError, uuid, wholeNumber } from '../arguments.ts'
import type { Config } from '../config.ts'
import { printJson } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { readRoleNames, userByEmail } from '../tenants.ts'

const ttlSecondsMax = 24 * 60 * 60

interface Options {
  tenant: string
  user?: string
  role?: string
  ttl: number
  json?: true
}

export function tokenCommand(program: Command, config: () => Config, services: () => Services): void {
  program
    .command('token')
    .description('print a JWT from the development issuer (ENVIRONMENT=dev only)')
    .requiredOption('--tenant <id>', 'id of the tenant of the user', uuid)
    .option(
      '--user <email>',
      'email address of a user of the tenant, whose id and current roles the JWT has',
      emailAddress,
    )
    .option('--role <name>', 'name of the role of a person who is no user; another person each time', shortText(200))
    .option('--ttl <seconds>', `lifetime in seconds, 1 to ${ttlSecondsMax}`, wholeNumber(1, ttlSecondsMax), 900)
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const { user, role, tenant } = options
      if ((user === undefined) === (role === undefined)) throw usageError('give either --user or --role')
      const issuer = readIssuer(config())
      const person =
        user === undefined
          ? await strangerWith(services(), tenant, role ?? '')
          : await readPerson(services(), tenant, user)
      const token = signToken(issuer, { tenant, ttl: options.ttl, ...person })
      if (options.json) printJson({ token })
      else process.stdout.write(`${token}\n`)
    })
}

/** A user of the tenant, with the names of their roles. Throws tenant_not_found, or a CommanderError. */
async function readPerson({ identity, rbac }: Services, tenant: string, email: string) {
  const roleNames = await readRoleNames({ rbac }, tenant)
  const { id, enabled, role_ids } = await userByEmail({ identity }, tenant, email)
  if (!enabled) throw commandFailure('The user is disabled')
  return { subject: id, roles: role_ids.map(roleNames) }
}

/** Throws tenant_not_found, or a CommanderError when the tenant has no such role. */
async function strangerWith({ rbac }: Services, tenant: string, role: string) {
  const call = { params: { tenant_id: tenant }, body: { role_names: [role] } }
  const { unknown } = await rbac.resolveRoles(newContext(), call)
  if (unknown.length > 0) throw commandFailure(`The tenant has no role ${JSON.stringify(role)}`)
  return { subject: randomUUID(), roles: [role] }
}

function readIssuer(config: Config) {
  const { ENVIRONMENT: environment, DEV_ISSUER: name, DEV_ISSUER_KEY_FILE: file } = config
  if (environment !== 'dev') throw commandFailure('tokens are issued in ENVIRONMENT=dev only; elsewhere, sign in')
  if (name === undefined || file === undefined) {
    throw commandFailure('DEV_ISSUER and DEV_ISSUER_KEY_FILE are not set: there is no development issuer here')
  }
  try {
    return { name, key: createPrivateKey(readFileSync(file)) }
  } catch (cause) {
    throw commandFailure(`the key of the development issuer cannot be read: ${(cause as Error).message}`)
  }
}

interface TokenContent {
  readonly tenant: string
  readonly subject: string
  readonly roles: readonly string[]
  readonly ttl: number
}

function signToken({ name, key }: ReturnType<typeof readIssuer>, { tenant, subject, roles, ttl }: TokenContent) {
  return jwt.sign({ tenant_id: tenant, roles }, key, {
    algorithm: 'ES256',
    keyid: thumbprint(createPublicKey(key)),
    issuer: name,
    audience: 'payment-service',
    subject,
    expiresIn: ttl,
    notBefore: 0,
  })
}

/** The JWK thumbprint (RFC 7638) of an elliptic-curve public key: the `kid` under which its issuer publishes it. */
function thumbprint(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}
