import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { problems } from '@payments/contracts/services/invite-to-pay/contract'
import type { Deps } from '../deps.ts'
import type { CodeFacts } from '../domain/code.ts'
import { findEntry } from '../domain/entry.ts'
import { invitationVariables } from '../domain/message.ts'

interface Context {
  readonly tenantId: string
  readonly traceId: string
}

/**
 * Throws payment_orchestrator_without_page. `null` selects the default one. A payment orchestrator that the copy does
 * not have is not rejected: payment-proxy decides whether it can be used.
 */
export function requirePage(
  origins: Pick<Deps, 'payBaseUrl' | 'cardPageOrigin'>,
  { paymentOrchestrators }: UnitCopy,
  paymentOrchestratorId: string | null,
): void {
  const found = paymentOrchestrators.find(({ id, is_default: isDefault }) =>
    paymentOrchestratorId === null ? isDefault : id === paymentOrchestratorId,
  )
  if (found === undefined || findEntry(found, origins) !== null) return
  throw new Problem(problems.payment_orchestrator_without_page)
}

type Texts = Pick<CodeFacts, 'businessUnitId' | 'communicationType' | 'templateId' | 'communicationDetails' | 'locale'>

/**
 * Checks that the template of an invitation can be rendered. `pointer` is the place of the invitation in the body.
 * Throws invalid_request, template_unusable, business_unit_not_found, business_unit_deleted, service_unavailable.
 */
export async function requireTemplate(
  { communication }: Pick<Deps, 'communication'>,
  { tenantId, traceId }: Context,
  { businessUnitId, communicationType, templateId, communicationDetails, locale }: Texts,
  pointer = '',
): Promise<void> {
  if (templateId === null) return
  const sample = { amount: 1, currency: 'EUR', communicationDetails, expiresAt: new Date(0), reference: 'reference' }
  const body = {
    business_unit_id: businessUnitId,
    communication_type: communicationType,
    template_id: templateId,
    locale,
    variables: invitationVariables(sample, 'https://pay.example.com/pay/code', { locale: 'en', timeZone: 'UTC' }),
    required: ['payment_url'],
  }
  try {
    await communication.checkTemplate({ traceId }, { params: { tenant_id: tenantId }, body })
  } catch (error) {
    throw relocateProblem(error, pointer)
  }
}

/** The problem of communication, with pointers into the body of our caller. */
function relocateProblem(error: unknown, pointer: string): unknown {
  if (!(error instanceof Problem) || error.options.errors === undefined) return error
  const { code, status, title, options } = error
  const errors = (options.errors ?? []).map(({ pointer: theirs, detail }) => ({
    pointer: `${pointer}${theirs.startsWith('/variables') ? `/communication_details${theirs}` : '/template_id'}`,
    detail,
  }))
  const ours = code === commonProblems.invalid_request.code ? {} : { detail: options.detail ?? title }
  return new Problem({ code, status, title }, { ...ours, errors })
}
