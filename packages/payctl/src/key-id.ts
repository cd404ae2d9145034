import { hash, type KeyObject } from 'node:crypto'

/** The JWK thumbprint (RFC 7638) of an elliptic-curve public key: the `kid` under which its issuer publishes it. */
export function thumbprint(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}
