import type { Caller } from '@payments/chassis/base/caller'
import { loopShare } from '@payments/chassis/base/loop-share'
import { Problem } from '@payments/contracts/grammar/problem'
import { communicationContract, problems } from '@payments/contracts/services/communication/contract'
import type { Template } from '@payments/contracts/services/communication/templates'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import { presentTemplate, presentTemplateEvent, type TemplateContent } from '../domain/template.ts'
import { requireUsableContent } from '../domain/template-rules.ts'
import { addVersion, lockTemplate } from '../store/templates.ts'

type Changes = { readonly [Field in keyof TemplateContent]?: TemplateContent[Field] | undefined }

/** Throws template_not_found, built_in_template, invalid_request, rate_limited, service_unavailable. */
export async function updateTemplate(deps: Deps, caller: Caller, id: string, changes: Changes): Promise<Template> {
  const { tenantId, traceId } = caller
  if (builtInTemplate(id) !== undefined) throw new Problem(problems.built_in_template)
  return deps.db.inTenant(tenantId, async (tx) => {
    const current = await lockTemplate(tx, tenantId, id)
    if (current === null) throw new Problem(problems.template_not_found)
    const content = applyChanges(current, changes)
    await loopShare.run(tenantId, () => requireUsableContent(current.communicationType, content))
    const template = await addVersion(tx, tenantId, current, content)
    const payload = { template: presentTemplateEvent(template) }
    const type = 'communication.templates.update'
    await emit(tx, communicationContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
    return presentTemplate(template)
  })
}

/** `null` is a value: it removes the HTML part or the language. */
function applyChanges(current: TemplateContent, changes: Changes): TemplateContent {
  return {
    name: changes.name ?? current.name,
    locale: changes.locale === undefined ? current.locale : changes.locale,
    subject: changes.subject === undefined ? current.subject : changes.subject,
    text: changes.text ?? current.text,
    html: changes.html === undefined ? current.html : changes.html,
    variables: changes.variables ?? current.variables,
  }
}
