import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { replyWithPage } from '../page/reply.ts'
import { createVisit, findVisited } from '../payment/visit.ts'

/** Changes nothing, so scanners of mail may open the link. Throws service_unavailable. */
export async function showPayPage(
  deps: Parameters<typeof findVisited>[0],
  caller: PublicCaller,
  value: string,
  lang: string | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<PageReply> {
  const visit = createVisit(caller, value, lang, headers)
  return replyWithPage(visit, await findVisited(deps, visit))
}
