import { randomBytes } from 'node:crypto'
import type { Vault } from '@payments/vault/vault'
import {
  authenticationBinding,
  fingerprintCredentials,
  type GatewayAuthentication,
  type StoredAuthentication,
} from '../domain/gateway-authentication.ts'
import type { EncryptedAuthentication } from '../store/payment-orchestrators.ts'

/** The row that has, or will have, the credentials. */
export interface CredentialsRow {
  readonly tenantId: string
  readonly id: string
  readonly encrypted: Uint8Array | null
}

/**
 * The credentials, ready to be stored; null for none. The fingerprint has the key of the stored credentials, or a
 * new one. Never inside a transaction: the vault may call its provider. Throws VaultError.
 */
export async function encryptCredentials(
  vault: Vault,
  row: CredentialsRow,
  given: GatewayAuthentication,
): Promise<EncryptedAuthentication | null> {
  if (Object.keys(given).length === 0) return null
  const stored = await decryptCredentials(vault, row)
  const key = stored?.fingerprint_key ?? randomBytes(32).toString('base64')
  const next: StoredAuthentication = { fingerprint_key: key, gateway_authentication: given }
  const encrypted = await vault.encrypt(authenticationBinding(row.tenantId, row.id), JSON.stringify(next))
  return { encrypted, fingerprint: fingerprintCredentials(next) }
}

/** Null without credentials. Never inside a transaction. Throws VaultError. */
export async function decryptCredentials(
  vault: Vault,
  { tenantId, id, encrypted }: CredentialsRow,
): Promise<StoredAuthentication | null> {
  if (encrypted === null) return null
  return JSON.parse(await vault.decrypt(authenticationBinding(tenantId, id), encrypted)) as StoredAuthentication
}
