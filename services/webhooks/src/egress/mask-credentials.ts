import { createLoopShare } from '@payments/chassis/base/loop-share'
import { type CredentialMasking, createCredentialMasking } from '../domain/auth-info/credential-masking.ts'

/** Long credentials hold the event loop for milliseconds. An attempt waits for earlier ones of its tenant only. */
const share = createLoopShare({
  waitingMax: 10_000,
  waitMsMax: 60_000,
  createRejection: () => new Error('too many responses wait for the masking of credentials'),
})

/** The credentials that an attempt of a tenant sends, and their secret parts. */
export interface SentCredentials {
  readonly tenantId: string
  readonly secrets: readonly string[]
}

/** Calls `work` with the masking of credentials, in the share that the tenant has of the event loop. Null: of none. */
export async function maskCredentials<Masked>(
  sent: SentCredentials | null,
  work: (masking: CredentialMasking) => Masked,
): Promise<Masked> {
  if (sent === null) return work(createCredentialMasking([]))
  const { tenantId, secrets } = sent
  const masking = await share.run(tenantId, () => createCredentialMasking(secrets))
  return share.run(tenantId, () => work(masking))
}
