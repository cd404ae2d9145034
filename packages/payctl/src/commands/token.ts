import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { newId } from '@payments/chassis/base/id'
import type { Command } from 'commander'
import jwt from 'jsonwebtoken'
import { commandFailure, shortText, uuid, wholeNumber } from '../arguments.ts'
import type { Config } from '../config.ts'
import { keyIdOf } from '../key-id.ts'
import { printJson } from '../output.ts'
import type { Services } from '../services.ts'

const ttlSecondsMax = 24 * 60 * 60

interface Options {
  tenant: string
  role: string
  ttl: number
  json?: true
}

export function tokenCommand(program: Command, config: () => Config, services: () => Services): void {
  program
    .command('token')
    .description('print a JWT from the development issuer (ENVIRONMENT=dev only)')
    .requiredOption('--tenant <id>', 'id of the tenant of the user', uuid)
    .requiredOption('--role <name>', 'name of the role the user has', shortText(200))
    .option('--ttl <seconds>', `lifetime in seconds, 1 to ${ttlSecondsMax}`, wholeNumber(1, ttlSecondsMax), 900)
    .option('--json', 'print JSON')
    .action(async (options: Options) => {
      const issuer = issuerOf(config())
      await requireRole(services(), options)
      const token = signToken(issuer, options)
      if (options.json) printJson({ token })
      else process.stdout.write(`${token}\n`)
    })
}

/** Throws tenant_not_found, or a CommanderError when the tenant has no such role. */
async function requireRole({ rbac }: Services, { tenant, role }: Options): Promise<void> {
  const call = { params: { tenant_id: tenant }, body: { role_names: [role] } }
  const { unknown } = await rbac.resolveRoles({ traceId: newId() }, call)
  if (unknown.length > 0) throw commandFailure(`The tenant has no role ${JSON.stringify(role)}`)
}

interface Issuer {
  readonly name: string
  readonly key: KeyObject
}

function issuerOf(config: Config): Issuer {
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

function signToken({ name, key }: Issuer, { tenant, role, ttl }: Options): string {
  return jwt.sign({ tenant_id: tenant, roles: [role] }, key, {
    algorithm: 'ES256',
    keyid: keyIdOf(createPublicKey(key)),
    issuer: name,
    audience: 'payment-service',
    subject: randomUUID(),
    expiresIn: ttl,
    notBefore: 0,
  })
}
