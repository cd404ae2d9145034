import type { Handlers } from '@payments/chassis/request/router'
import type { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { secretHandlers } from '@payments/service/secret-handlers'
import { createChangeRates } from './changes/change-rate.ts'
import type { Deps } from './deps.ts'
import { toBusinessUnitChange } from './domain/business-unit.ts'
import { encryptedColumns } from './domain/gateway-authentication.ts'
import { createBusinessUnit } from './verbs/create-business-unit.ts'
import { createPaymentOrchestrator } from './verbs/create-payment-orchestrator.ts'
import { deleteBusinessUnit } from './verbs/delete-business-unit.ts'
import { deletePaymentOrchestrator } from './verbs/delete-payment-orchestrator.ts'
import { provisionBusinessUnit } from './verbs/provision-business-unit.ts'
import { findBusinessUnit, listBusinessUnits, readBusinessUnit } from './verbs/read-business-units.ts'
import {
  listPaymentOrchestrators,
  readGatewayAuthentication,
  readPaymentOrchestrator,
} from './verbs/read-payment-orchestrators.ts'
import { updateBusinessUnit } from './verbs/update-business-unit.ts'
import { updatePaymentOrchestrator } from './verbs/update-payment-orchestrator.ts'

export const routes = (
  deps: Deps,
  { change, create } = createChangeRates(),
): Handlers<typeof businessUnitContract> => ({
  createBusinessUnit: (caller, { body }) => {
    const { timezone_name: timezoneName, default_currency: defaultCurrency, default_locale: defaultLocale } = body
    const { name, branding, communication } = body
    const draft = { name, timezoneName, defaultCurrency, defaultLocale, branding, communication }
    return create(caller, () => createBusinessUnit(deps, caller, draft))
  },
  listBusinessUnits: (caller, { query }) => listBusinessUnits(deps, caller, query),
  readBusinessUnit: (caller, { params }) => readBusinessUnit(deps, caller, params.business_unit_id),
  updateBusinessUnit: (caller, { params, body }) =>
    change(caller, () => updateBusinessUnit(deps, caller, params.business_unit_id, toBusinessUnitChange(body))),
  deleteBusinessUnit: (caller, { params }) =>
    change(caller, () => deleteBusinessUnit(deps, caller, params.business_unit_id)),
  createPaymentOrchestrator: (caller, { params, body }) =>
    change(caller, () => createPaymentOrchestrator(deps, caller, params.business_unit_id, body)),
  listPaymentOrchestrators: (caller, { params, query }) =>
    listPaymentOrchestrators(deps, caller, params.business_unit_id, query),
  readPaymentOrchestrator: (caller, { params }) =>
    readPaymentOrchestrator(deps, caller, params.business_unit_id, params.payment_orchestrator_id),
  updatePaymentOrchestrator: (caller, { params, body }) => {
    const ids = { businessUnitId: params.business_unit_id, id: params.payment_orchestrator_id }
    return change(caller, () => updatePaymentOrchestrator(deps, caller, ids, body))
  },
  deletePaymentOrchestrator: (caller, { params }) =>
    change(caller, () =>
      deletePaymentOrchestrator(deps, caller, params.business_unit_id, params.payment_orchestrator_id),
    ),
  provisionBusinessUnit: ({ traceId }, { params, body }) =>
    provisionBusinessUnit(
      deps,
      { tenantId: params.tenant_id, traceId },
      { businessUnitId: body.business_unit_id, name: body.name },
    ),
  findBusinessUnit: (_, { params }) => findBusinessUnit(deps, params.tenant_id, params.business_unit_id),
  readGatewayAuthentication: (_, { params }) =>
    readGatewayAuthentication(deps, params.tenant_id, params.payment_orchestrator_id),
  ...secretHandlers(encryptedColumns, deps),
})
