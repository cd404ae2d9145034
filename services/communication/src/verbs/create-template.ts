import type { Caller } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { loopShare } from '@payments/chassis/base/loop-share'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { communicationContract, problems } from '@payments/contracts/services/communication/contract'
import { type Template, templatesMax } from '@payments/contracts/services/communication/templates'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import {
  type CommunicationType,
  presentTemplate,
  presentTemplateEvent,
  type TemplateContent,
} from '../domain/template.ts'
import { requireUsableContent } from '../domain/template-rules.ts'
import { countTemplates, insertTemplate } from '../store/templates.ts'

interface TemplateDraft extends TemplateContent {
  readonly businessUnitId: string | null
  readonly communicationType: CommunicationType
}

/**
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, too_many_templates, rate_limited,
 * service_unavailable.
 */
export async function createTemplate(deps: Deps, caller: Caller, draft: TemplateDraft): Promise<Template> {
  const { tenantId, traceId } = caller
  await loopShare.run(tenantId, () => requireUsableContent(draft.communicationType, draft))
  if (draft.businessUnitId !== null) await deps.businessUnits.requireActive(caller, draft.businessUnitId)
  return once(deps.db, caller, async (tx) => {
    await lockForTransaction(tx, `templates of ${tenantId}`)
    if ((await countTemplates(tx, tenantId)) >= templatesMax) throw new Problem(problems.too_many_templates)
    const template = await insertTemplate(tx, tenantId, { ...draft, id: newId() })
    const payload = { template: presentTemplateEvent(template) }
    const type = 'communication.templates.create'
    await emit(tx, communicationContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
    return presentTemplate(template)
  })
}
