import { Problem } from '@payments/contracts/grammar/problem'
import { nearestLocale } from '@payments/contracts/nouns/locale'
import { problems } from '@payments/contracts/services/communication/contract'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import type { CommunicationType, TemplateFacts, Translation } from '../domain/template.ts'
import type { Tx } from '../store/database.ts'
import { findTemplate, listTranslations } from '../store/templates.ts'

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

/**
 * The template for readers of `locale`: of the named one and its translations, the nearest. Of equals the named one,
 * then the newest. A built-in template has each language itself.
 */
export async function nearestTranslation(
  tx: Tx,
  tenantId: string,
  named: TemplateFacts,
  locale: string,
): Promise<TemplateFacts> {
  if (named.kind === 'built_in' || named.locale === locale) return named
  return chooseTranslation(tx, tenantId, { named, translations: await listTranslations(tx, tenantId, named) }, locale)
}

/** As `nearestTranslation`, of translations at hand. */
export async function chooseTranslation(
  tx: Tx,
  tenantId: string,
  { named, translations }: { named: TemplateFacts; translations: readonly Translation[] },
  locale: string,
): Promise<TemplateFacts> {
  const { id } = nearestLocale(locale, [named, ...translations]) ?? named
  return (id === named.id ? null : await findTemplate(tx, tenantId, id)) ?? named
}

export function templateUnusable(detail: string): Problem {
  return new Problem(problems.template_unusable, { errors: [{ pointer: '/template_id', detail }] })
}
