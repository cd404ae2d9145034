/** Tenant and id of a data key. A provider binds the wrapped key to both; AWS KMS calls this the encryption context. */
export interface DataKeyBinding {
  readonly tenantId: string
  readonly dataKeyId: string
}

/**
 * One key-encryption key, in the memory of this process or in AWS KMS. Every call may use the network, with its own
 * deadline. Throws VaultError for bytes that were changed, and service_unavailable while the key cannot be used.
 */
export interface KeyEncryptionKey {
  /** Longest time that a data key may stay unwrapped in memory. Undefined: until the process ends. */
  readonly cacheMsMax?: number
  /** A new random data key of 32 bytes, wrapped. */
  generate(binding: DataKeyBinding): Promise<Uint8Array<ArrayBuffer>>
  wrap(dataKey: Buffer, binding: DataKeyBinding): Promise<Uint8Array<ArrayBuffer>>
  unwrap(wrapped: Uint8Array, binding: DataKeyBinding): Promise<Buffer>
}

interface WrappedKey {
  readonly kekId: string
  readonly wrapped: Uint8Array<ArrayBuffer>
}

/**
 * The key-encryption keys by id. `generate` and `wrap` use the current key, `unwrap` the named one. Throws what a key
 * throws, and VaultError for an unknown id.
 */
export interface KeyProvider {
  readonly currentKekId: string
  /** The shortest of all keys. */
  readonly cacheMsMax?: number
  generate(binding: DataKeyBinding): Promise<WrappedKey>
  wrap(dataKey: Buffer, binding: DataKeyBinding): Promise<WrappedKey>
  unwrap(kekId: string, wrapped: Uint8Array, binding: DataKeyBinding): Promise<Buffer>
}
