import { createPace, type Rate } from '@payments/chassis/base/rates'
import type { Handlers } from '@payments/chassis/request/router'
import type { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { quarantineHandlers } from '@payments/messaging/quarantine/quarantine-handlers'
import { secretHandlers } from '@payments/service/secret-handlers'
import type { Deps } from './deps.ts'
import { encryptedColumns } from './domain/encrypted-columns.ts'
import { cancelCode } from './verbs/cancel-code.ts'
import { cancelConfirmation } from './verbs/cancel-confirmation.ts'
import { checkInvitation } from './verbs/check-invitation.ts'
import { createCode } from './verbs/create-code.ts'
import { exportPayer } from './verbs/export-payer.ts'
import { listCodes } from './verbs/list-codes.ts'
import { payCode } from './verbs/pay-code.ts'
import { readCode } from './verbs/read-code.ts'
import { resendCode } from './verbs/resend-code.ts'
import { returnFromBank } from './verbs/return-from-bank.ts'
import { revealCode } from './verbs/reveal-code.ts'
import { showBank } from './verbs/show-bank.ts'
import { showCardPage } from './verbs/show-card-page.ts'
import { showPayPage } from './verbs/show-pay-page.ts'
import { updateCode } from './verbs/update-code.ts'

/** Of the invitations of one key or user: half of the messages of its tenant, so that those of others pass them. */
const invitationPace: Rate = { perSecond: 10, burst: 100 }

export const routes = (deps: Deps, pace = createPace(invitationPace)): Handlers<typeof inviteToPay> => ({
  ...quarantineHandlers(deps.quarantine, deps.log),
  createCode: (caller, { body }) => createCode({ ...deps, pace }, caller, body),
  listCodes: (caller, { query }) => listCodes(deps, caller, query),
  readCode: (caller, { params }) => readCode(deps, caller, params.code_id),
  revealCode: (caller, { params }) => revealCode(deps, caller, params.code_id),
  updateCode: (caller, { params, body }) => updateCode(deps, caller, params.code_id, body),
  cancelCode: (caller, { params }) => cancelCode(deps, caller, params.code_id),
  checkInvitation: (caller, { params, body }) =>
    checkInvitation(deps, caller, {
      tenantId: params.tenant_id,
      businessUnitId: body.business_unit_id,
      paymentOrchestratorId: body.payment_orchestrator_id,
      invitation: body.invitation,
      transactionLocale: body.transaction_locale ?? null,
    }),
  resendCode: (caller, { params, body }) =>
    resendCode(deps, caller, {
      tenantId: params.tenant_id,
      transactionId: params.transaction_id,
      resendId: body.resend_id,
    }),
  exportPayer: (_caller, { params, body }) => exportPayer(deps, params.tenant_id, body),
  ...secretHandlers(encryptedColumns, deps),
  showCardPage: (caller, { params, query }) => showCardPage(deps, caller, params.ticket, query.lang),
  showPayPage: (caller, { params, query, raw }) => showPayPage(deps, caller, params.code, query.lang, raw.headers),
  payCode: (caller, { params, query, raw }) => payCode(deps, caller, params.code, query, raw),
  showBank: (caller, { params, query, raw }) => showBank(deps, caller, params.code, query.lang, raw.headers),
  returnFromBank: (caller, { params, query, raw }) =>
    returnFromBank(deps, caller, params.code, query.lang, raw.headers),
  cancelConfirmation: (caller, { params, query, raw }) =>
    cancelConfirmation(deps, caller, params.code, query.lang, raw),
})
