import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'

const issuerName = 'urn:test:issuer'
const audience = 'payment-service'

/** An issuer of JWTs whose public keys are a file. */
export function startIssuer() {
  const directory = mkdtempSync(join(tmpdir(), 'issuer-'))
  const file = join(directory, 'jwks.json')
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'ES256' }
  writeFileSync(file, JSON.stringify({ keys: [jwk] }))
  return {
    publicKey,
    privateKey,
    config: {
      issuer: issuerName,
      audience,
      algorithms: ['ES256'],
      jwks_file: file,
      tenants: '*',
      lifetime_seconds_max: 3_600,
    },
    /** A good token of a user with these roles; with `options`, the token can be invalid. */
    token: (tenantId: string, roles: readonly string[], options: jwt.SignOptions = {}, claims: object = {}) =>
      jwt.sign({ tenant_id: tenantId, roles, ...claims }, privateKey, {
        algorithm: 'ES256',
        keyid: 'one',
        issuer: issuerName,
        audience,
        subject: 'alice',
        expiresIn: 60,
        ...options,
      }),
    stop: () => rmSync(directory, { recursive: true }),
  }
}
