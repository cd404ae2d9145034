import type { CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { once } from '@payments/chassis/request/idempotency'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import {
  type PaymentOrchestrator,
  paymentOrchestratorsMax,
  problems,
  storedPaymentOrchestratorsMax,
} from '@payments/contracts/services/business-unit/contract'
import { destinationViolation } from '@payments/egress/destination'
import { requireCapacityForCreation } from '../changes/bounded-unit.ts'
import { encryptCredentials } from '../changes/credentials.ts'
import { emitPaymentOrchestrator } from '../changes/emit-events.ts'
import type { Deps } from '../deps.ts'
import { isTrustedCardPage, rejectCardPages } from '../domain/card-page.ts'
import { rejectDestinations, urlsByPointer } from '../domain/destination.ts'
import { checkAuthentication } from '../domain/gateway-authentication.ts'
import {
  type PaymentOrchestratorDraft,
  presentPaymentOrchestrator,
  rejectActiveTestMode,
  rejectInactiveDefault,
  rejectMisfit,
} from '../domain/payment-orchestrator.ts'
import * as units from '../store/business-units.ts'
import * as orchestrators from '../store/payment-orchestrators.ts'

/** Decides where payments go that name no payment orchestrator. */
const changePermission = 'businessunit:UpdatePaymentOrchestrator'

/**
 * The only active payment orchestrator of a unit is its default, if its creator may change payment orchestrators. A new
 * default replaces the current one, whose change is an event too. Throws invalid_request, permission_denied,
 * invalid_gateway_authentication, destination_not_allowed, business_unit_not_found, business_unit_deleted,
 * too_many_payment_orchestrators, test_mode_not_allowed.
 */
export async function createPaymentOrchestrator(
  deps: Deps,
  caller: CallerWith<typeof changePermission>,
  businessUnitId: string,
  draft: PaymentOrchestratorDraft,
): Promise<PaymentOrchestrator> {
  const { tenantId } = caller
  rejectMisfit(draft)
  rejectInactiveDefault(draft)
  if (!deps.acceptsTestMode) rejectActiveTestMode(draft)
  checkAuthentication(draft.payment_gateway, draft.mode, draft.gateway_authentication)
  rejectDestinations(urlsByPointer(draft), (url) => destinationViolation(url, deps.destinations))
  rejectCardPages(deps.cardPages, draft.payment_gateway, draft)
  const id = newId()
  const row = { tenantId, id, encrypted: null }
  const authentication = await encryptCredentials(deps.vault, row, draft.gateway_authentication)
  return once(deps.db, caller, async (tx) => {
    const unit = await units.lock(tx, tenantId, businessUnitId)
    if (unit === null) throw new Problem(problems.business_unit_not_found)
    if (unit.status === 'deleted') throw new Problem(problems.business_unit_deleted)
    const { stored, notDeleted, active } = await orchestrators.count(tx, tenantId, businessUnitId)
    if (notDeleted >= paymentOrchestratorsMax || stored >= storedPaymentOrchestratorsMax) {
      throw new Problem(problems.too_many_payment_orchestrators)
    }
    const mayBeDefault = caller.permissions.has(changePermission)
    if (draft.is_default && !mayBeDefault) throw mayNotBeDefault()
    const isDefault = draft.is_default || (draft.status === 'active' && active === 0 && mayBeDefault)
    const { currentDefault } = await orchestrators.lockWithDefault(tx, tenantId, businessUnitId, null)
    if (isDefault && currentDefault !== undefined) {
      const previous = await orchestrators.clearDefault(tx, tenantId, currentDefault.id)
      await emitPaymentOrchestrator(tx, caller, 'update', previous)
    }
    const cardPageTrusted = isTrustedCardPage(deps.cardPages, draft.payment_gateway, draft)
    const insertion = {
      id,
      businessUnitId,
      draft: { ...draft, is_default: isDefault },
      cardPageTrusted,
      authentication,
    }
    const created = await orchestrators.insert(tx, tenantId, insertion)
    await requireCapacityForCreation(tx, tenantId, businessUnitId)
    await emitPaymentOrchestrator(tx, caller, 'create', created)
    return presentPaymentOrchestrator(created)
  })
}

function mayNotBeDefault(): Problem {
  const detail = `needs ${changePermission}: payments that name no payment orchestrator use the default`
  return new Problem(commonProblems.permission_denied, { errors: [{ pointer: '/is_default', detail }] })
}
