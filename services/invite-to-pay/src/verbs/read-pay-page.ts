import type { PageReply } from '@payments/contracts/grammar/contract'
import { replyWithBank, replyWithPage } from '../page/reply.ts'
import { findVisited, type Visit } from '../payment/visit.ts'

type PageDeps = Parameters<typeof findVisited>[0]

/** Changes nothing, so scanners of mail may open the link. Throws service_unavailable. */
export async function showPayPage(deps: PageDeps, visit: Visit): Promise<PageReply> {
  return replyWithPage(visit, await findVisited(deps, visit))
}

/**
 * Redirects a payer to the page of their bank. Our page is between the form and the bank, because the policy of the
 * form permits no other origin. Changes nothing. Throws service_unavailable.
 */
export async function showBank(deps: PageDeps, visit: Visit): Promise<PageReply> {
  return replyWithBank(visit, await findVisited(deps, visit))
}
