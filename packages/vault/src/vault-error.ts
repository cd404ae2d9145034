/**
 * A secret or data key cannot be decrypted, or a secret cannot be encrypted: a bug or an attack, never a rejected
 * request. The message contains no secret.
 */
export class VaultError extends Error {
  override readonly name = 'VaultError'
}
