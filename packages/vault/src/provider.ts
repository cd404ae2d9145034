/** Whom a data key belongs to. A provider binds the wrapped form to it (KMS calls it the encryption context). */
export interface DataKeyBinding {
  readonly tenantId: string
  readonly dataKeyId: string
}

/**
 * Who has the key-encryption keys. `wrap` uses the current one; `unwrap` any it still has. Both may go over a network: the
 * provider puts a deadline on it. `unwrap` throws VaultError where the key is unknown or the bytes are not what was wrapped.
 */
export interface KeyProvider {
  readonly currentKekId: string
  wrap(dataKey: Buffer, binding: DataKeyBinding): Promise<{ kekId: string; wrapped: Uint8Array<ArrayBuffer> }>
  unwrap(kekId: string, wrapped: Uint8Array, binding: DataKeyBinding): Promise<Buffer>
}
