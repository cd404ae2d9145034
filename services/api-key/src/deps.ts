import type { Client } from '@payments/chassis/client/client'
import type { rbac } from '@payments/contracts/services/rbac/contract'
import type { ServiceDeps } from '@payments/service/run-service'
import type { KeyValues } from './key-values/key-values.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly rbac: Client<typeof rbac, 'api-key'>
  readonly values: KeyValues
}
