import type { PublicCaller } from '@payments/chassis/caller'
import type { PageReply } from '@payments/contracts/contract'
import type { Deps } from '../deps.ts'
import { findVisited, replyWithPage } from '../payment/page.ts'

/** Changes nothing, so scanners of mail may open the link. Throws service_unavailable. */
export async function showPayPage(
  deps: Pick<Deps, 'db' | 'rbac' | 'businessUnits' | 'log'>,
  { traceId, recordTenant }: PublicCaller,
  value: string,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<PageReply> {
  const visit = { value, traceId, acceptLanguage: headers['accept-language'], recordTenant }
  return replyWithPage(deps, visit, await findVisited(deps, visit))
}
