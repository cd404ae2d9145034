import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { replyWithBank } from '../page/reply.ts'
import { createVisit, findVisited } from '../payment/visit.ts'

/**
 * Redirects a payer to the page of their bank. Our page is between the form and the bank, because the policy of the
 * form permits no other origin. Changes nothing. Throws service_unavailable.
 */
export async function showBank(
  deps: Parameters<typeof findVisited>[0],
  caller: PublicCaller,
  value: string,
  lang: string | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<PageReply> {
  const visit = createVisit(caller, value, lang, headers)
  return replyWithBank(visit, await findVisited(deps, visit))
}
