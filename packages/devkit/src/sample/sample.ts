/**
 * **What it does.** Fills the demo tenant with a day of a shop, so that each page of the console shows something. All
 * of it comes through the public API, with the typed client.
 *
 * **Participants.** One file per subject writes its part. The receiver is the shop's webhook endpoints; it listens
 * during each later start, so that the subscriptions keep their behaviour.
 *
 * **Guarantees.** The data is written once per demo tenant. A sample that was interrupted continues within seven days:
 * each creation has its own Idempotency-Key.
 *
 * **Not guaranteed.** Times in the past: the day is as short as the requests take.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Say } from '../machine/progress.ts'
import { writePrivately } from '../machine/secrets.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { writeAccess } from './access.ts'
import { writeInvitations } from './invitations.ts'
import { writeMessages } from './messages.ts'
import { writePayments } from './payments.ts'
import { writePeople } from './people.ts'
import { openShop, type SampleTenant, type Shop } from './shop.ts'
import { writeSubscriptions } from './webhooks.ts'

/** Delays of the attempts of a delivery, so that dead letters are there within seconds. */
export const sampleSchedule = '0s,1s,3s'

const sampleFile = (directory: string) => join(directory, 'sample.json')

export const hasSample = (directory: string): boolean => existsSync(sampleFile(directory))

/** Writes the sample data of the tenant, unless it is there. */
export async function ensureSample(
  directory: string,
  gatewayUrl: string,
  tenant: SampleTenant,
  receiverUrl: string,
  say: Say,
): Promise<void> {
  const file = sampleFile(directory)
  const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { tenant_id: string }) : undefined
  if (written?.tenant_id === tenant.tenant_id) return
  try {
    await write(openShop(gatewayUrl, tenant), receiverUrl, say)
  } catch (error) {
    throw new UserError(
      `The sample data could not be written: ${formatError(error)}\nnpm start -- --sample continues, npm start starts without it.`,
    )
  }
  writePrivately(file, `${JSON.stringify({ tenant_id: tenant.tenant_id })}\n`)
}

async function write(shop: Shop, receiverUrl: string, say: Say): Promise<void> {
  say('people')
  await writePeople(shop)
  say('webhooks')
  await writeSubscriptions(shop, receiverUrl)
  say('payments')
  await writePayments(shop)
  say('invitations and messages')
  await writeInvitations(shop)
  await writeMessages(shop)
  say('API keys')
  await writeAccess(shop)
}
