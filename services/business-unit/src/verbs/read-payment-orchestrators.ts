import type { Caller } from '@payments/chassis/base/caller'
import { idBefore, type Page, type PageQuery, toPage } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type PaymentOrchestrator, problems } from '@payments/contracts/services/business-unit/contract'
import { decryptCredentials } from '../changes/credentials.ts'
import type { Deps } from '../deps.ts'
import type { GatewayAuthentication } from '../domain/gateway-authentication.ts'
import { presentPaymentOrchestrator } from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Throws business_unit_not_found. */
export async function listPaymentOrchestrators(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  { status, cursor, limit }: PageQuery & { readonly status?: PaymentOrchestrator['status'] | undefined },
): Promise<Page<PaymentOrchestrator>> {
  const before = idBefore(cursor)
  const rows = await deps.db.readInTenant(tenantId, async (tx) => {
    if ((await units.find(tx, tenantId, businessUnitId)) === null) throw new Problem(problems.business_unit_not_found)
    return orchestrators.list(tx, tenantId, { businessUnitId, status, before, limit })
  })
  return toPage(rows, limit, presentPaymentOrchestrator)
}

/** Throws business_unit_not_found, payment_orchestrator_not_found. */
export function readPaymentOrchestrator(
  deps: Deps,
  { tenantId }: Caller,
  businessUnitId: string,
  paymentOrchestratorId: string,
): Promise<PaymentOrchestrator> {
  return deps.db.readInTenant(tenantId, async (tx) => {
    if ((await units.find(tx, tenantId, businessUnitId)) === null) throw new Problem(problems.business_unit_not_found)
    const one = await orchestrators.find(tx, tenantId, businessUnitId, paymentOrchestratorId)
    if (one === null) throw new Problem(problems.payment_orchestrator_not_found)
    return presentPaymentOrchestrator(one)
  })
}

/** The credentials, and the URL that they were given for. Throws payment_orchestrator_not_found. */
export async function readGatewayAuthentication(
  deps: Deps,
  tenantId: string,
  paymentOrchestratorId: string,
): Promise<{ fingerprint: string | null; gateway_url: string | null; gateway_authentication: GatewayAuthentication }> {
  const row = await deps.db.readInTenant(tenantId, (tx) =>
    orchestrators.findInTenant(tx, tenantId, paymentOrchestratorId),
  )
  if (row === null) throw new Problem(problems.payment_orchestrator_not_found)
  const { id, gatewayUrl, gatewayAuthenticationEncrypted: encrypted, gatewayAuthenticationFingerprint } = row
  const stored = await decryptCredentials(deps.vault, { tenantId, id, encrypted })
  return {
    fingerprint: gatewayAuthenticationFingerprint,
    gateway_url: gatewayUrl,
    gateway_authentication: stored?.gateway_authentication ?? {},
  }
}
