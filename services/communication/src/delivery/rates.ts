import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import { addressHashes } from '@payments/service/payers/hashes'
import type { Deps } from '../deps.ts'
import type { Draft } from '../domain/communication.ts'
import { countQueued } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import { type Rate, takeMessage } from '../store/message-rates.ts'

/** While no provider responds, messages wait for a day; this bounds what one tenant stores meanwhile. */
const queuedMax = 10_000
/** The part of it that callers leave to the messages of the platform. */
const queuedOfPlatform = 1_000
const [minuteMs, hourMs] = [60_000, 3_600_000]

/**
 * `caller`: a caller of the API wrote it. `payer_invitation`: an invitation to pay, or its reminder. `receipt`: about a
 * payment that its recipient made, so its recipient has no rate that tenants share.
 */
export type MessagePurpose = 'caller' | 'payer_invitation' | 'user_invitation' | 'receipt'

interface CountedMessage extends Pick<Draft, 'recipient'> {
  readonly purpose: MessagePurpose
  /** The key or user that sends it. Null: the platform does. */
  readonly sender: string | null
}

/** Of the rate of the tenant, for one key or user. */
const senderShare = 0.5

/**
 * Counts a message against the rates of its tenant and of its recipient. The platform sends for all tenants from one
 * address, so no tenant, and no number of them, floods a mailbox with it; and none silences another, which has its
 * share. Within a tenant, each purpose has its own rates. They share the queue, in which messages wait while no
 * provider responds.
 *
 * A key or user has half of the rate of its tenant, which is locked before the queue is counted, so few others add to
 * it meanwhile. The last rate is shared by tenants: a transaction that waits for it waits for nothing else.
 * Throws rate_limited with the seconds until the next message.
 */
export async function countAgainstRates(
  tx: Tx,
  { rates, now, payerHashKeys }: Pick<Deps, 'rates' | 'now' | 'payerHashKeys'>,
  tenantId: string,
  { recipient, purpose, sender }: CountedMessage,
): Promise<void> {
  const at = now()
  // Keyed: the table has no tenant, and must be no list of the recipients of other tenants.
  const hashKey = (key: string) =>
    Buffer.from(addressHashes(payerHashKeys, 'message rates', key)[0]).toString('base64url')
  const secondsTo = (rate: Rate) => takeMessage(tx, { ...rate, key: hashKey(rate.key) }, at)
  const take = async (rate: Rate, detail: string) => {
    const retryAfterSeconds = await secondsTo(rate)
    if (retryAfterSeconds !== null) throw new Problem(commonProblems.rate_limited, { detail, retryAfterSeconds })
  }
  const address = normalizeAddress(recipient)
  const { perTenantAndMinute, perTenantRecipientAndHour, shareOfTenantAndHour, perRecipientAndHour } = rates
  const isOfCaller = purpose === 'caller'
  const ofAll = { key: isOfCaller ? tenantId : `${tenantId} ${purpose}`, max: perTenantAndMinute, perMs: minuteMs }
  if (sender !== null) {
    const ofSender = { ...ofAll, key: `${tenantId} ${sender}`, max: Math.ceil(perTenantAndMinute * senderShare) }
    await take(ofSender, 'Too many messages of the API key or user')
  }
  await take(ofAll, 'Too many messages of the tenant')
  const max = isOfCaller ? queuedMax - queuedOfPlatform : queuedMax
  if ((await countQueued(tx, tenantId, max)) >= max)
    throw new Problem(commonProblems.rate_limited, {
      detail: `${max} messages of the tenant wait to be sent`,
      retryAfterSeconds: 60,
    })
  const detail = 'Too many messages to this recipient'
  const ofTenant = `${tenantId} ${address}${isOfCaller ? '' : ` ${purpose}`}`
  await take({ key: ofTenant, max: perTenantRecipientAndHour, perMs: hourMs }, detail)
  if (purpose === 'receipt') return
  const share = { key: `${ofTenant} share`, max: shareOfTenantAndHour, perMs: hourMs }
  if (shareOfTenantAndHour > 0 && (await secondsTo(share)) === null) return
  await take({ key: address, max: perRecipientAndHour, perMs: hourMs }, detail)
}
