import { createPace, type Rate } from '@payments/chassis/base/rates'
import type { Handlers } from '@payments/chassis/request/router'
import type { inviteToPay } from '@payments/contracts/services/invite-to-pay/contract'
import { quarantineHandlers } from '@payments/messaging/quarantine/quarantine-handlers'
import { secretHandlers } from '@payments/service/secret-handlers'
import type { Deps } from './deps.ts'
import { encryptedColumns } from './domain/code-value.ts'
import { createVisit } from './payment/visit.ts'
import { cancelCode } from './verbs/cancel-code.ts'
import { cancelConfirmation } from './verbs/cancel-confirmation.ts'
import { checkInvitation } from './verbs/check-invitation.ts'
import { createCode } from './verbs/create-code.ts'
import { exportPayer } from './verbs/export-payer.ts'
import { payCode } from './verbs/pay-code.ts'
import { listCodes, readCode, revealCode } from './verbs/read-codes.ts'
import { showBank, showPayPage } from './verbs/read-pay-page.ts'
import { resendCode } from './verbs/resend-code.ts'
import { returnFromBank } from './verbs/return-from-bank.ts'
import { showCardPage } from './verbs/show-card-page.ts'
import { updateCode } from './verbs/update-code.ts'

/** Of the invitations of one key or user: half of the messages of its tenant, so that invitations of others pass. */
const invitationPace: Rate = { perSecond: 10, burst: 100 }

export const routes = (deps: Deps, pace = createPace(invitationPace)): Handlers<typeof inviteToPay> => ({
  ...quarantineHandlers(deps.quarantine, deps.log),
  createCode: (caller, { body }) => createCode({ ...deps, pace }, caller, body),
  listCodes: (caller, { query }) => listCodes(deps, caller, query),
  readCode: (caller, { params }) => readCode(deps, caller, params.code_id),
  revealCode: (caller, { params }) => revealCode(deps, caller, params.code_id),
  updateCode: (caller, { params, body }) => updateCode(deps, caller, params.code_id, body),
  cancelCode: (caller, { params }) => cancelCode(deps, caller, params.code_id),
  checkInvitation: (caller, { params, body }) => checkInvitation(deps, caller, params.tenant_id, body),
  resendCode: (caller, { params: { tenant_id: tenantId, transaction_id: transactionId }, body }) =>
    resendCode(deps, caller, { tenantId, transactionId }, body.resend_id),
  exportPayer: (_caller, { params, body }) => exportPayer(deps, params.tenant_id, body),
  ...secretHandlers(encryptedColumns, deps),
  showCardPage: (caller, { params, query }) => showCardPage(deps, caller, params.ticket, query.lang),
  showPayPage: (caller, request) => showPayPage(deps, createVisit(caller, request)),
  payCode: (caller, request) => payCode(deps, createVisit(caller, request), request.raw, request.query.time_zone),
  showBank: (caller, request) => showBank(deps, createVisit(caller, request)),
  returnFromBank: (caller, request) => returnFromBank(deps, createVisit(caller, request)),
  cancelConfirmation: (caller, request) => cancelConfirmation(deps, createVisit(caller, request), request.raw),
})
