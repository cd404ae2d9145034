import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { VaultError } from './vault-error.ts'

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce: `nonce | ciphertext | 128-bit tag`. A random nonce is safe
 * for 2³² messages under one key. A data key encrypts the secrets of one tenant, thousands at most.
 */
const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function encryptBytes(key: KeyObject, plaintext: Uint8Array, associatedData: Uint8Array): Buffer<ArrayBuffer> {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associatedData)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** Throws VaultError when the bytes were not encrypted with this key and this associated data. */
export function decryptBytes(key: KeyObject, encrypted: Uint8Array, associatedData: Uint8Array): Buffer {
  if (encrypted.length < nonceBytes + tagBytes) throw new VaultError('too short to be a ciphertext')
  const tagAt = encrypted.length - tagBytes
  const nonce = encrypted.subarray(0, nonceBytes)
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAAD(associatedData).setAuthTag(encrypted.subarray(tagAt))
  const plaintext = decipher.update(encrypted.subarray(nonceBytes, tagAt))
  try {
    return Buffer.concat([plaintext, decipher.final()])
  } catch (cause) {
    throw new VaultError('the ciphertext does not authenticate', { cause })
  }
}
