/**
 * The random secrets of one profile, created once and stored in `secrets.json`, which only its owner can read. `npm
 * run reset` deletes them. They belong to one machine; qa and prod use other secrets.
 */
import { createHmac, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from './user-error.ts'

const names = [
  'postgresPassword',
  'rabbitmqPassword',
  'assertionMaster',
  'vaultKey',
  'apiKeyPepper',
  'sessionPepper',
  'sessionTokenKey',
] as const

type Name = (typeof names)[number]
export type Secrets = Readonly<Record<Name, string>>

/**
 * Reads the secrets of the profile, or creates them: 32 random bytes each, in base64 (passwords in base64url, for
 * URLs). `sessionTokenKey` is a P-256 key in PKCS #8 DER.
 */
export function loadSecrets(directory: string): Secrets {
  const file = join(directory, 'secrets.json')
  if (existsSync(file)) {
    const stored = parse(file)
    const lacking = names.filter((name) => typeof stored[name] !== 'string')
    if (lacking.length > 0)
      throw new UserError(`${file} lacks ${lacking.join(', ')}. Restore it, or run: npm run reset`)
    return stored as Secrets
  }
  const made = Object.fromEntries(names.map((name) => [name, secretFor(name)])) as Secrets
  writePrivately(file, `${JSON.stringify(made, null, 2)}\n`)
  return made
}

function secretFor(name: Name): string {
  if (name !== 'sessionTokenKey') return randomBytes(32).toString(name.endsWith('Password') ? 'base64url' : 'base64')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
}

/** Writes a file atomically; other users cannot read it at any time. */
export function writePrivately(file: string, content: string): void {
  const draft = `${file}.${process.pid}.draft`
  const descriptor = openSync(draft, 'w', 0o600)
  writeSync(descriptor, content)
  closeSync(descriptor)
  renameSync(draft, file)
}

/**
 * The key with which `issuer` signs for `audience`, derived by HKDF-SHA256 (RFC 5869) from a master that no process
 * receives. Base64, 32 bytes.
 */
export function edgeKey(secrets: Secrets, issuer: string, audience: string): string {
  const master = Buffer.from(secrets.assertionMaster, 'base64')
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `${issuer}>${audience}`, 32)).toString('base64')
}

/**
 * The password of a service role, derived from the password of the administrator. Every administrator of the server
 * derives the same one, so two checkouts can share a server.
 */
export function rolePassword(adminUrl: string, role: string): string {
  return createHmac('sha256', decodeURIComponent(new URL(adminUrl).password))
    .update(`payments/${role}`)
    .digest('base64url')
}

function parse(file: string): Partial<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<string, unknown>>
  } catch (cause) {
    throw new UserError(`${file} cannot be read as JSON. Restore it, or run: npm run reset`, { cause })
  }
}
