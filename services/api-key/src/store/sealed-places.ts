import type { SealedPlace } from '@payments/vault/reencrypt'
import { valuePurpose as purpose } from '../domain/key-value.ts'

/** Where values of keys rest sealed. */
export const sealedPlaces: readonly SealedPlace[] = [
  { table: 'keys', id: 'id', column: 'sealed_value', purpose },
  { table: 'previous_values', id: 'key_id', column: 'sealed_value', purpose },
]
