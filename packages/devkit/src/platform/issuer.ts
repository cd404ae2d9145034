/**
 * The development issuer of JWTs: an ES256 key of this machine, published as a JWKS file. Other environments use an
 * OpenID provider.
 */
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from '../machine/secrets.ts'

export const developmentIssuer = 'urn:payment-service:dev'
export const developmentAudience = 'payment-service'
/** The maximum of `payctl token --ttl`. */
export const developmentLifetimeSecondsMax = 24 * 60 * 60

/** Created once per profile. */
export function issuerFiles(directory: string) {
  const files = { keyFile: join(directory, 'issuer.pem'), jwksFile: join(directory, 'issuer.jwks.json') }
  if (!existsSync(files.keyFile)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writePrivately(files.keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  }
  writePrivately(files.jwksFile, JSON.stringify(toJwks(readFileSync(files.keyFile, 'utf8'))))
  return files
}

/** `kid` is the thumbprint of RFC 7638, which every holder of the key can compute. */
function toJwks(pem: string) {
  const { crv, kty, x, y } = createPublicKey(pem).export({ format: 'jwk' })
  const kid = hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
  return { keys: [{ kty, crv, x, y, kid, use: 'sig', alg: 'ES256' }] }
}
