import { formatUuid } from '@payments/contracts/grammar/field'
import { decryptBytes, encryptBytes } from './aes-gcm.ts'
import type { DataKeyStore, StoredDataKey } from './data-key.ts'
import type { VaultMetrics } from './metrics.ts'
import type { KeyProvider } from './provider.ts'
import { type DataKey, tenantKeys } from './tenant-keys.ts'
import { VaultError } from './vault-error.ts'

/**
 * **What it does.** Encrypts and decrypts secrets by envelope encryption. The stored bytes are
 *
 *     version (1 byte) | data key id (16 bytes) | nonce | ciphertext | tag
 *
 * **Guarantees.**
 * - The associated data bind version, data key id, purpose, tenant and record. Bytes moved to another row cannot be
 *   decrypted.
 * - A failed decryption throws VaultError and is counted. It never returns an empty value.
 *
 * **Not guaranteed.** An older ciphertext of the same record, written back, is decrypted without notice.
 */
export interface Vault {
  /** Returns the bytes to store. May call store and provider: never inside a transaction. Throws VaultError. */
  encrypt(binding: Binding, secret: string): Promise<Uint8Array<ArrayBuffer>>
  /** May call store and provider: never inside a transaction. Throws VaultError. */
  decrypt(binding: Binding, encrypted: Uint8Array): Promise<string>
  /**
   * Encrypts the same secret under a data key created at `since` or later. May call store and provider: never inside a
   * transaction. Throws VaultError.
   */
  reencrypt(binding: Binding, encrypted: Uint8Array, since: Date): Promise<Uint8Array<ArrayBuffer>>
  /** Wraps the data key with the current key-encryption key; returns the same object when it already is. */
  rewrap(key: StoredDataKey): Promise<StoredDataKey>
  /** The key-encryption key that wraps new data keys. */
  readonly currentKekId: string
}

/** The row that a secret belongs to. `purpose` names the column, e.g. `api-key.value`. */
export interface Binding {
  readonly purpose: string
  readonly tenantId: string
  readonly recordId: string
}

export interface VaultOptions {
  readonly provider: KeyProvider
  readonly dataKeys: DataKeyStore
  /** Maximum of unwrapped data keys in memory. */
  readonly cachedMax?: number
  readonly metrics?: VaultMetrics
  /** A monotonic clock in milliseconds, for the age of cached data keys. */
  readonly now?: () => number
}

const version = 1
const keyIdBytes = 16
const headerBytes = 1 + keyIdBytes
const secretBytesMax = 64 * 1024

export function createVault({ provider, dataKeys, cachedMax = 10_000, metrics, now }: VaultOptions): Vault {
  const keys = tenantKeys(provider, dataKeys, { entriesMax: cachedMax, ...(now === undefined ? {} : { now }) })
  const countingFailures = failureCounter(metrics)
  const decrypt = (binding: Binding, encrypted: Uint8Array) =>
    countingFailures(async () => {
      if (encrypted[0] !== version || encrypted.length <= headerBytes) {
        throw new VaultError(`not an encrypted secret of version ${version}`)
      }
      const header = encrypted.subarray(0, headerBytes)
      const { key } = await keys.find(binding.tenantId, formatUuid(Buffer.from(header.subarray(1)).toString('hex')))
      return decryptBytes(key, encrypted.subarray(headerBytes), associatedData(header, binding)).toString('utf8')
    })
  return {
    currentKekId: provider.currentKekId,
    decrypt,

    async encrypt(binding, secret) {
      const plaintext = Buffer.from(secret, 'utf8')
      if (plaintext.length === 0 || plaintext.length > secretBytesMax) {
        throw new VaultError(`a secret must have 1 to ${secretBytesMax} bytes, not ${plaintext.length}`)
      }
      if (plaintext.toString('utf8') !== secret) throw new VaultError('a secret must be well-formed Unicode')
      return encryptWith(await keys.current(binding.tenantId), binding, plaintext)
    },

    async reencrypt(binding, encrypted, since) {
      const secret = await decrypt(binding, encrypted)
      return encryptWith(await keys.current(binding.tenantId, since), binding, Buffer.from(secret, 'utf8'))
    },

    rewrap: (stored) =>
      countingFailures(async () => {
        if (stored.kekId === provider.currentKekId) return stored
        const binding = { tenantId: stored.tenantId, dataKeyId: stored.id }
        const raw = await provider.unwrap(stored.kekId, stored.wrapped, binding)
        try {
          return { ...stored, ...(await provider.wrap(raw, binding)) }
        } finally {
          raw.fill(0)
        }
      }),
  }
}

function encryptWith({ id, key }: DataKey, binding: Binding, plaintext: Buffer): Uint8Array<ArrayBuffer> {
  const header = Buffer.concat([Buffer.from([version]), Buffer.from(id.replaceAll('-', ''), 'hex')])
  return Buffer.concat([header, encryptBytes(key, plaintext, associatedData(header, binding))])
}

/** Counts VaultError only. An unreachable database or provider is another failure. */
function failureCounter(metrics: VaultMetrics | undefined): <R>(decryption: () => Promise<R>) => Promise<R> {
  return async (decryption) => {
    try {
      return await decryption()
    } catch (error) {
      if (error instanceof VaultError) metrics?.decryptionFailed()
      throw error
    }
  }
}

function associatedData(header: Uint8Array, { purpose, tenantId, recordId }: Binding): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([purpose, tenantId, recordId]))])
}
