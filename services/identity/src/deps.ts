import type { Client } from '@payments/chassis/client/client'
import type { Environment } from '@payments/contracts/grammar/key-value'
import type { apiKey } from '@payments/contracts/services/api-key/contract'
import type { communicationContract } from '@payments/contracts/services/communication/contract'
import type { rbac } from '@payments/contracts/services/rbac/contract'
import type { ServiceDeps } from '@payments/service/run-service'
import type { Vault } from '@payments/vault/vault'
import type { SessionTokens } from './session/session-tokens.ts'
import type { SessionValues } from './session/session-values.ts'
import type { SignInProviders } from './sign-in/providers.ts'
import type { Database } from './store/database.ts'

export interface Deps extends ServiceDeps<Database> {
  readonly environment: Environment
  /** Origin of the sign-in pages and the console. */
  readonly consoleOrigin: string
  readonly vault: Vault
  readonly rbac: Pick<Client<typeof rbac, 'identity'>, 'readTenant' | 'readTenantNames' | 'resolveRoles'>
  readonly apiKey: Pick<Client<typeof apiKey, 'identity'>, 'readKeyRoles'>
  readonly communication: Pick<Client<typeof communicationContract, 'identity'>, 'queueUserInvitation'>
  /** The loop that hands over mails, which verbs wake after a commit that decided one. */
  readonly mails: { wake(): void }
  /** Values of sessions and their indexes. */
  readonly sessionValues: SessionValues
  /** JWTs of sessions. */
  readonly sessionTokens: SessionTokens
  readonly providers: SignInProviders
  readonly sessionLimits: { readonly idleMs: number; readonly lifetimeMs: number }
}
