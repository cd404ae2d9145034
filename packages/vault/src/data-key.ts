/** Length of a data key before it is wrapped. */
export const dataKeyBytes = 32

/** A tenant's data key as it is stored: wrapped by the key-encryption key `kekId`. */
export interface StoredDataKey {
  readonly tenantId: string
  /** A UUID. Each ciphertext names the data key that encrypted it. */
  readonly id: string
  readonly kekId: string
  readonly wrapped: Uint8Array<ArrayBuffer>
  readonly createdAt: Date
}

/** The table of data keys, in the service that encrypts. */
export interface DataKeyStore {
  /** The newest data key of the tenant; undefined before the first one. */
  current(tenantId: string): Promise<StoredDataKey | undefined>
  find(tenantId: string, id: string): Promise<StoredDataKey | undefined>
  /**
   * Inserts the key unless the tenant has a key created at `since` or later. Returns the newest stored key. Concurrent
   * callers must get the same key, so an implementation takes a lock per tenant.
   */
  insertUnlessRecent(key: StoredDataKey, since: Date): Promise<StoredDataKey>
}
