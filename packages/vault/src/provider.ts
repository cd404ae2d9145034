/** Tenant and id of a data key. A provider binds the wrapped key to both; AWS KMS calls this the encryption context. */
export interface DataKeyBinding {
  readonly tenantId: string
  readonly dataKeyId: string
}

/**
 * Holds the key-encryption keys. `wrap` uses the current key, `unwrap` any key that the provider has. Both may use the
 * network: the provider sets a deadline. `unwrap` throws VaultError for an unknown key and for bytes that were changed.
 */
export interface KeyProvider {
  readonly currentKekId: string
  wrap(dataKey: Buffer, binding: DataKeyBinding): Promise<{ kekId: string; wrapped: Uint8Array<ArrayBuffer> }>
  unwrap(kekId: string, wrapped: Uint8Array, binding: DataKeyBinding): Promise<Buffer>
}
