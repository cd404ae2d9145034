import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import jwt from 'jsonwebtoken'
import type { Config } from '../config.ts'
import { keyIdOf } from '../key-id.ts'
import { printJson } from '../output.ts'

const ttlSecondsMax = 24 * 60 * 60

/** `token`: a JWT of the development issuer, for who has no OpenID provider at hand. */
export function tokenCommand(program: Command, config: () => Config): void {
  program
    .command('token')
    .description('print a JWT from the development issuer (ENVIRONMENT=dev only)')
    .requiredOption('--tenant <id>', 'tenant of the user')
    .requiredOption('--role <name>', 'name of the role the user has')
    .option('--ttl <seconds>', 'lifetime in seconds', '900')
    .option('--json', 'print JSON')
    .action((options: { tenant: string; role: string; ttl: string; json?: true }) => {
      const token = signToken(config(), options)
      if (options.json) printJson({ token })
      else process.stdout.write(`${token}\n`)
    })
}

function signToken(config: Config, { tenant, role, ttl }: { tenant: string; role: string; ttl: string }): string {
  if (config.ENVIRONMENT !== 'dev') throw refusal('tokens are issued in ENVIRONMENT=dev only; elsewhere, sign in')
  if (config.DEV_ISSUER === undefined || config.DEV_ISSUER_KEY_FILE === undefined) {
    throw refusal('DEV_ISSUER and DEV_ISSUER_KEY_FILE are not set: there is no development issuer here')
  }
  const ttlSeconds = Number(ttl)
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > ttlSecondsMax) {
    throw refusal(`--ttl must be a whole number of seconds from 1 to ${ttlSecondsMax}`)
  }
  const key = createPrivateKey(readFileSync(config.DEV_ISSUER_KEY_FILE))
  return jwt.sign({ tenant_id: tenant, roles: [role] }, key, {
    algorithm: 'ES256',
    keyid: keyIdOf(createPublicKey(key)),
    issuer: config.DEV_ISSUER,
    audience: 'payment-service',
    subject: randomUUID(),
    expiresIn: ttlSeconds,
    notBefore: 0,
  })
}

function refusal(message: string): CommanderError {
  return new CommanderError(1, 'payctl.refused', message)
}
