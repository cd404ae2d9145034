import type { SqlTx, Transactions } from '@payments/chassis/database/transaction'
import type { Log } from '@payments/chassis/observability/log'
import type { Handlers } from '@payments/chassis/request/router'
import {
  type reencryptSecretsEndpoint,
  rejectFuture,
  rejectOtherCurrent,
  type rewrapDataKeysEndpoint,
  type rotationProblems,
} from '@payments/contracts/endpoints/key-rotation'
import { type EncryptedColumn, reencryptBatch } from '@payments/vault/reencrypt'
import { rewrapBatch } from '@payments/vault/rewrap'
import type { Vault } from '@payments/vault/vault'

interface SecretContract {
  readonly service: string
  readonly description: string
  readonly endpoints: {
    readonly rewrapDataKeys: typeof rewrapDataKeysEndpoint
    readonly reencryptSecrets: typeof reencryptSecretsEndpoint
  }
  readonly problems: typeof rotationProblems
  readonly events: Record<never, never>
}

export interface SecretDeps {
  readonly db: Pick<Transactions<SqlTx>, 'acrossTenants'>
  readonly vault: Vault
  readonly log: Log
}

/**
 * The handlers that rotate the keys of a service whose secrets are in `columns`. They throw other_key_current, and
 * reencryptSecrets also since_in_the_future.
 */
export function secretHandlers(
  columns: readonly EncryptedColumn[],
  { db, vault, log }: SecretDeps,
): Handlers<SecretContract> {
  const { currentKekId: current } = vault
  return {
    rewrapDataKeys: async (_, { body: batch }) => {
      rejectOtherCurrent(batch, current)
      const { failures, ...progress } = await rewrapBatch(vault, (work) => db.acrossTenants(work), batch)
      for (const { dataKey, error } of failures) log.error({ err: error, dataKey }, 'a data key cannot be unwrapped')
      return { ...progress, failed: failures.length }
    },
    reencryptSecrets: async (_, { body: batch }) => {
      rejectOtherCurrent(batch, current)
      rejectFuture(batch.since)
      const { failures, ...progress } = await reencryptBatch(vault, (work) => db.acrossTenants(work), columns, batch)
      for (const { error, ...row } of failures) log.error({ err: error, row }, 'a secret cannot be decrypted')
      return { ...progress, current, failed: failures.length }
    },
  }
}
