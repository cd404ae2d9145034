import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { VaultError } from './vault-error.ts'

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce: `nonce | ciphertext | 128-bit tag`. A random nonce is sound for
 * 2³² messages under one key; a data key seals a tenant's secrets, thousands at most.
 */
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function encrypt(key: KeyObject, plaintext: Uint8Array, associatedData: Uint8Array): Buffer<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associatedData)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Throws VaultError where key, associated data and bytes do not belong together. */
export function decrypt(key: KeyObject, sealed: Uint8Array, associatedData: Uint8Array): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new VaultError('too short to be a ciphertext')
  const tagAt = sealed.length - tagBytes
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAAD(associatedData).setAuthTag(sealed.subarray(tagAt))
  const plaintext = decipher.update(sealed.subarray(nonceBytes, tagAt))
  try {
    return Buffer.concat([plaintext, decipher.final()])
  } catch (cause) {
    throw new VaultError('the ciphertext does not authenticate', { cause })
  }
}
