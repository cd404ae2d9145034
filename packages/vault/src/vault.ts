import { decrypt, encrypt } from './aes-gcm.ts'
import type { DataKeyStore, RestingDataKey } from './data-key.ts'
import type { VaultMeters } from './meters.ts'
import type { KeyProvider } from './provider.ts'
import { type DataKey, tenantKeys } from './tenant-keys.ts'
import { VaultError } from './vault-error.ts'

/**
 * Envelope encryption. A secret is sealed with the data key of its tenant; the data key rests wrapped by a key-encryption
 * key that only the provider has. A sealed secret is
 *
 *   version (1 byte) | data key id (16 bytes) | nonce | ciphertext | tag
 *
 * and its associated data bind the first two, the purpose, the tenant and the record: bytes that were moved to another row
 * do not open. What does not open throws VaultError, never answers an empty value, and is counted.
 *
 * Not promised: that an older value of the same record, put back, is noticed.
 */
export interface Vault {
  /** Bytes to store. May ask the store and the provider: never inside a transaction. */
  seal(binding: Binding, secret: string): Promise<Uint8Array<ArrayBuffer>>
  /** Throws VaultError. May ask the store and the provider: never inside a transaction. */
  open(binding: Binding, sealed: Uint8Array): Promise<string>
  /** The same secret under a data key made at `since` or later. Throws VaultError. May ask the store and the provider. */
  reseal(binding: Binding, sealed: Uint8Array, since: Date): Promise<Uint8Array<ArrayBuffer>>
  /** The same data key under the current key-encryption key; the same object where it already is. */
  rewrap(key: RestingDataKey): Promise<RestingDataKey>
  /** The key-encryption key that wraps what is new. */
  readonly currentKekId: string
}

/** What a secret belongs to. `purpose` names the column, e.g. `api-key.value`. */
export interface Binding {
  readonly purpose: string
  readonly tenantId: string
  readonly recordId: string
}

export interface VaultOptions {
  readonly provider: KeyProvider
  readonly dataKeys: DataKeyStore
  /** Unwrapped data keys kept in memory. */
  readonly cachedMax?: number
  readonly meters?: VaultMeters
}

const version = 1
const keyIdBytes = 16
const headerBytes = 1 + keyIdBytes
const secretBytesMax = 64 * 1024

export function createVault({ provider, dataKeys, cachedMax = 10_000, meters }: VaultOptions): Vault {
  const keys = tenantKeys(provider, dataKeys, cachedMax)
  const counted = countedBy(meters)
  const open = (binding: Binding, sealed: Uint8Array) =>
    counted(async () => {
      if (sealed[0] !== version || sealed.length <= headerBytes) {
        throw new VaultError(`not a sealed secret of version ${version}`)
      }
      const header = sealed.subarray(0, headerBytes)
      const { key } = await keys.find(binding.tenantId, uuidOf(header.subarray(1)))
      return decrypt(key, sealed.subarray(headerBytes), associatedData(header, binding)).toString('utf8')
    })
  return {
    currentKekId: provider.currentKekId,
    open,

    async seal(binding, secret) {
      const plaintext = Buffer.from(secret, 'utf8')
      if (plaintext.length === 0 || plaintext.length > secretBytesMax) {
        throw new VaultError(`a secret of ${plaintext.length} bytes is not sealed`)
      }
      if (plaintext.toString('utf8') !== secret) throw new VaultError('a secret must be well-formed Unicode')
      return sealWith(await keys.current(binding.tenantId), binding, plaintext)
    },

    async reseal(binding, sealed, since) {
      const secret = await open(binding, sealed)
      return sealWith(await keys.current(binding.tenantId, since), binding, Buffer.from(secret, 'utf8'))
    },

    rewrap: (resting) =>
      counted(async () => {
        if (resting.kekId === provider.currentKekId) return resting
        const binding = { tenantId: resting.tenantId, dataKeyId: resting.id }
        const raw = await provider.unwrap(resting.kekId, resting.wrapped, binding)
        const { kekId, wrapped } = await provider.wrap(raw, binding)
        raw.fill(0)
        return { ...resting, kekId, wrapped }
      }),
  }
}

function sealWith({ id, key }: DataKey, binding: Binding, plaintext: Buffer): Uint8Array<ArrayBuffer> {
  const header = Buffer.concat([Buffer.from([version]), Buffer.from(id.replaceAll('-', ''), 'hex')])
  return Buffer.concat([header, encrypt(key, plaintext, associatedData(header, binding))])
}

/** Counts what does not open; that a database or a provider is away is another matter. */
function countedBy(meters: VaultMeters | undefined): <R>(opening: () => Promise<R>) => Promise<R> {
  return async (opening) => {
    try {
      return await opening()
    } catch (error) {
      if (error instanceof VaultError) meters?.unopened()
      throw error
    }
  }
}

function associatedData(header: Uint8Array, { purpose, tenantId, recordId }: Binding): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([purpose, tenantId, recordId]))])
}

function uuidOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
