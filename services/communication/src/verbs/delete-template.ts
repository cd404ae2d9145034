import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { communicationContract, problems } from '@payments/contracts/services/communication/contract'
import { emit } from '@payments/messaging/outbox/outbox'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import { presentTemplateEvent } from '../domain/template.ts'
import { lockTemplate, removeTemplate } from '../store/templates.ts'

/** Messages keep the name and the version of their template. Throws template_not_found, built_in_template. */
export async function deleteTemplate(deps: Deps, caller: Caller, id: string): Promise<undefined> {
  const { tenantId, traceId } = caller
  if (builtInTemplate(id) !== undefined) throw new Problem(problems.built_in_template)
  return deps.db.inTenant(tenantId, async (tx) => {
    const template = await lockTemplate(tx, tenantId, id)
    if (template === null) throw new Problem(problems.template_not_found)
    await removeTemplate(tx, tenantId, id)
    const payload = { template: presentTemplateEvent(template) }
    const type = 'communication.templates.delete'
    await emit(tx, communicationContract.events, { type, tenantId, businessUnitId: null, traceId, payload })
    return undefined
  })
}
