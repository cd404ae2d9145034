import { randomUUID } from 'node:crypto'
import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import { emitPaymentOrchestrator } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import { isTrustedCardPage } from '../domain/card-page.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

const pageSize = 500

/**
 * Updates `card_page_trusted` of the payment orchestrators whose origin the operator has added to the list, or removed.
 * Each change is an event, so the pay pages follow.
 */
export async function recheckCardPages(deps: Pick<Deps, 'db' | 'cardPages'>): Promise<void> {
  let after: string | null = null
  do {
    const page: orchestrators.PaymentOrchestratorRow[] = await deps.db.acrossTenants((tx) =>
      orchestrators.listCardPages(tx, after, pageSize),
    )
    for (const row of page) if (row.cardPageTrusted !== isTrusted(deps, row)) await recheck(deps, row)
    after = page.length < pageSize ? null : (page.at(-1)?.id ?? null)
  } while (after !== null)
}

async function recheck(
  deps: Pick<Deps, 'db' | 'cardPages'>,
  { tenantId, businessUnitId, id }: orchestrators.PaymentOrchestratorRow,
): Promise<void> {
  await deps.db.inTenant(tenantId, async (tx) => {
    await units.lock(tx, tenantId, businessUnitId)
    const { one } = await orchestrators.lockWithDefault(tx, tenantId, businessUnitId, id)
    if (one === undefined || one.cardPageTrusted === isTrusted(deps, one)) return
    const after = await orchestrators.setCardPageTrusted(tx, tenantId, id, !one.cardPageTrusted)
    await emitPaymentOrchestrator(tx, { tenantId, traceId: randomUUID() }, 'update', after)
  })
}

const isTrusted = ({ cardPages }: Pick<Deps, 'cardPages'>, row: orchestrators.PaymentOrchestratorRow) =>
  isTrustedCardPage(cardPages, row.paymentGateway as ConnectorName, {
    iframe_url: row.iframeUrl,
    tokenizer_url: row.tokenizerUrl,
  })
