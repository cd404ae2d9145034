import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import type { ConnectorName } from '@payments/contracts/nouns/payment-connectors'
import { type PaymentOrchestrator, problems } from '@payments/contracts/services/business-unit/contract'
import { destinationViolation } from '@payments/egress/destination'
import { requireCapacityForChange } from '../changes/bounded-unit.ts'
import { encryptCredentials } from '../changes/credentials.ts'
import { emitPaymentOrchestrator } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import type { BusinessUnitFacts } from '../domain/business-unit.ts'
import { isTrustedCardPage, rejectCardPages } from '../domain/card-page.ts'
import { rejectDestinations, urlsByPointer } from '../domain/destination.ts'
import { checkAuthentication, type GatewayAuthentication } from '../domain/gateway-authentication.ts'
import {
  mergePatch,
  type PaymentOrchestratorChange,
  type PaymentOrchestratorPatch,
  presentPaymentOrchestrator,
  rejectActiveTestMode,
  rejectInactiveDefault,
  rejectMisfit,
  rejectMovedUrls,
} from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import type { Tx } from '../store/database.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/**
 * A payment orchestrator that becomes active while no other one is becomes the default. A new default replaces the
 * current one, whose change is an event too. Throws destination_not_allowed, business_unit_not_found,
 * business_unit_deleted, payment_orchestrator_not_found, payment_orchestrator_deleted, invalid_gateway_authentication,
 * invalid_request, last_default_orchestrator, test_mode_not_allowed, too_many_payment_orchestrators.
 */
export async function updatePaymentOrchestrator(
  deps: Deps,
  caller: Caller,
  { businessUnitId, id }: { readonly businessUnitId: string; readonly id: string },
  patch: PaymentOrchestratorPatch,
): Promise<PaymentOrchestrator> {
  const { tenantId } = caller
  rejectDestinations(urlsByPointer(patch), (url) => destinationViolation(url, deps.destinations))
  const given = patch.gateway_authentication
  const authentication =
    given === undefined ? undefined : await checkAndEncrypt(deps, tenantId, { businessUnitId, id }, given)
  return deps.db.inTenant(tenantId, async (tx) => {
    requireActive(await units.lock(tx, tenantId, businessUnitId))
    const { one, currentDefault } = await orchestrators.lockWithDefault(tx, tenantId, businessUnitId, id)
    const before = requireChangeable(one ?? null)
    const change = mergePatch(before, patch)
    const isDefault = await decideDefault(tx, tenantId, before, change)
    rejectMisfit({
      payment_gateway: before.paymentGateway,
      mode: before.mode,
      gateway_url: change.gateway_url === undefined ? before.gatewayUrl : change.gateway_url,
      settings: change.settings ?? {},
    })
    rejectMovedUrls(before, change)
    // One that was active before can still be changed, and made inactive.
    const isActivated = (change.status === 'active' && before.status !== 'active') || (isDefault && !before.isDefault)
    if (isActivated && !deps.acceptsTestMode) rejectActiveTestMode({ mode: before.mode, status: 'active' })
    const connector = before.paymentGateway as ConnectorName
    rejectCardPages(deps.cardPages, connector, change)
    const cardPageTrusted = isTrustedCardPage(deps.cardPages, connector, {
      iframe_url: change.iframe_url === undefined ? before.iframeUrl : change.iframe_url,
      tokenizer_url: change.tokenizer_url === undefined ? before.tokenizerUrl : change.tokenizer_url,
    })
    if (isDefault && currentDefault !== undefined && currentDefault.id !== id) {
      const previous = await orchestrators.clearDefault(tx, tenantId, currentDefault.id)
      await emitPaymentOrchestrator(tx, caller, 'update', previous)
    }
    const after = await orchestrators.update(tx, tenantId, id, {
      ...change,
      is_default: isDefault,
      authentication,
      cardPageTrusted,
    })
    await requireCapacityForChange(tx, tenantId, { before, after })
    await emitPaymentOrchestrator(tx, caller, 'update', after)
    return presentPaymentOrchestrator(after)
  })
}

/**
 * Checks and encrypts new credentials before the transaction. Connector, mode and the key of the fingerprint never
 * change, so a concurrent change of the row does not matter.
 */
async function checkAndEncrypt(
  deps: Deps,
  tenantId: string,
  { businessUnitId, id }: { readonly businessUnitId: string; readonly id: string },
  given: GatewayAuthentication,
): Promise<orchestrators.EncryptedAuthentication | null> {
  const row = await deps.db.inTenant(tenantId, async (tx) => {
    requireActive(await units.find(tx, tenantId, businessUnitId))
    return requireChangeable(await orchestrators.find(tx, tenantId, businessUnitId, id))
  })
  checkAuthentication(row.paymentGateway as ConnectorName, row.mode, given)
  return encryptCredentials(deps.vault, { tenantId, id, encrypted: row.gatewayAuthenticationEncrypted }, given)
}

function requireActive(unit: BusinessUnitFacts | null): void {
  if (unit === null) throw new Problem(problems.business_unit_not_found)
  if (unit.status === 'deleted') throw new Problem(problems.business_unit_deleted)
}

function requireChangeable(row: orchestrators.PaymentOrchestratorRow | null): orchestrators.PaymentOrchestratorRow {
  if (row === null) throw new Problem(problems.payment_orchestrator_not_found)
  if (row.status === 'deleted') throw new Problem(problems.payment_orchestrator_deleted)
  return row
}

/** Whether the payment orchestrator is the default after the change. */
async function decideDefault(
  tx: Tx,
  tenantId: string,
  before: orchestrators.PaymentOrchestratorRow,
  change: PaymentOrchestratorChange,
): Promise<boolean> {
  const status = change.status ?? before.status
  rejectInactiveDefault({ is_default: change.is_default, status })
  if (before.isDefault) {
    if (change.is_default === false || status !== 'active') throw new Problem(problems.last_default_orchestrator)
    return true
  }
  if (change.is_default === true) return true
  if (status !== 'active' || before.status === 'active') return false
  return (await orchestrators.count(tx, tenantId, before.businessUnitId)).active === 0
}
