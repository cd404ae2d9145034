import type { CallerWith } from '@payments/chassis/base/caller'
import { newId } from '@payments/chassis/base/id'
import { loopShare } from '@payments/chassis/base/loop-share'
import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { requireActive } from '@payments/contracts/services/business-unit/unit-copy'
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

type Creator = CallerWith<'communication:UpdateTemplate'>

/**
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, too_many_templates,
 * rate_limited, service_unavailable.
 */
export async function createTemplate(deps: Deps, caller: Creator, draft: TemplateDraft): Promise<Template> {
  const { tenantId, traceId } = caller
  await loopShare.run(tenantId, () => requireUsableContent(draft.communicationType, draft))
  const copy = draft.businessUnitId === null ? null : await deps.businessUnits.find(caller, draft.businessUnitId)
  return once(deps.db, caller, async (tx) => {
    if (copy !== null) requireActive(copy)
    await lockForTransaction(tx, `templates of ${tenantId}`)
    if ((await countTemplates(tx, tenantId)) >= templatesMax) throw new Problem(problems.too_many_templates)
    // A translation replaces the text of messages that name another template.
    const translates = caller.permissions.has('communication:UpdateTemplate')
    const template = await insertTemplate(tx, tenantId, { ...draft, translates, id: newId() })
    const payload = { template: presentTemplateEvent(template) }
    const type = 'communication.templates.create'
    await emit(tx, communicationContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
    return presentTemplate(template)
  })
}
