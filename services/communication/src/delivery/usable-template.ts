import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/communication/contract'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import type { CommunicationType, TemplateFacts } from '../domain/template.ts'
import type { Tx } from '../store/database.ts'
import { findTemplate } from '../store/templates.ts'

interface Use {
  readonly templateId: string
  readonly communicationType: CommunicationType
  readonly businessUnitId: string
}

/** Throws template_unusable for a template of another channel or business unit, and for one that does not exist. */
export async function requireUsableTemplate(tx: Tx, tenantId: string, use: Use): Promise<TemplateFacts> {
  const { templateId, communicationType, businessUnitId } = use
  const template = builtInTemplate(templateId) ?? (await findTemplate(tx, tenantId, templateId))
  const isOfUnit = template?.businessUnitId == null || template.businessUnitId === businessUnitId
  if (template !== null && template.communicationType === communicationType && isOfUnit) return template
  throw templateUnusable(`is no ${communicationType} template of the business unit or of the whole tenant`)
}

export function templateUnusable(detail: string): Problem {
  return new Problem(problems.template_unusable, { errors: [{ pointer: '/template_id', detail }] })
}
