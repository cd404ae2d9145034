/** A tenant's data key as it rests, wrapped by the key-encryption key `kekId`. */
export interface RestingDataKey {
  readonly tenantId: string
  /** A UUID; it stands in each ciphertext that the key sealed. */
  readonly id: string
  readonly kekId: string
  readonly wrapped: Uint8Array<ArrayBuffer>
  readonly createdAt: Date
}

/** The table of data keys, in the service that seals. */
export interface DataKeyStore {
  /** The one that seals now; undefined where the tenant has none yet. */
  current(tenantId: string): Promise<RestingDataKey | undefined>
  find(tenantId: string, id: string): Promise<RestingDataKey | undefined>
  /**
   * Stores a data key of a tenant unless there is one made at `since` or later, and returns the newest that rests: callers at once
   * must agree.
   */
  settle(key: RestingDataKey, since: Date): Promise<RestingDataKey>
}
