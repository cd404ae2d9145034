import type { SealedPlace } from '@payments/vault/reencrypt'
import { configPurpose } from '../domain/auth-info.ts'
import { secretPurpose } from '../domain/subscription.ts'

/** Where signing secrets and credentials rest sealed. */
export const sealedPlaces: readonly SealedPlace[] = [
  { table: 'subscriptions', id: 'id', column: 'secret_sealed', purpose: secretPurpose },
  { table: 'subscriptions', id: 'id', column: 'previous_secret_sealed', purpose: secretPurpose },
  { table: 'auth_infos', id: 'id', column: 'config_sealed', purpose: configPurpose },
]
