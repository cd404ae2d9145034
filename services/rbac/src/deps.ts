import type { Client } from '@payments/chassis/client/client'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { ServiceDeps } from '@payments/service/run-service'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  /** Counts the keys of a role, and reads the roles of a key. */
  readonly apiKey: Pick<Client<typeof apiKey>, 'countKeysWithRole' | 'readKeyRoles'>
  /** Counts the users of a role, and reads the roles of users. */
  readonly identity: Pick<Client<typeof identityContract>, 'countRoleMembers' | 'readMemberRoles'>
}
