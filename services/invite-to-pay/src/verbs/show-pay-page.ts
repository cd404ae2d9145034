import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import { chosenLocale } from '@payments/contracts/nouns/preferred-locale'
import { replyWithPage } from '../page/reply.ts'
import { findVisited } from '../payment/visit.ts'

/** Changes nothing, so scanners of mail may open the link. Throws service_unavailable. */
export async function showPayPage(
  deps: Parameters<typeof findVisited>[0],
  { traceId, recordTenant }: PublicCaller,
  value: string,
  lang: string | undefined,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<PageReply> {
  const visit = {
    value,
    traceId,
    chosenLocale: chosenLocale(lang),
    acceptLanguage: headers['accept-language'],
    recordTenant,
  }
  return replyWithPage(visit, await findVisited(deps, visit))
}
