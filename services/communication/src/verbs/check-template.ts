import type { ServiceCaller } from '@payments/chassis/base/caller'
import { loopShare } from '@payments/chassis/base/loop-share'
import { Problem } from '@payments/contracts/grammar/problem'
import { chooseTranslation, requireUsableTemplate, templateUnusable } from '../delivery/usable-template.ts'
import type { Deps } from '../deps.ts'
import { messageLocale } from '../domain/locales.ts'
import { rejectErrors, type Values } from '../domain/render.ts'
import { declaredValues, errorsOfValues, type MessageValues, renderTemplate } from '../domain/render-template.ts'
import type { CommunicationType, Translation } from '../domain/template.ts'
import { listTranslations } from '../store/templates.ts'

interface TemplateCheck {
  readonly tenantId: string
  readonly businessUnitId: string
  readonly communicationType: CommunicationType
  readonly templateId: string
  /** The language of the message. Null: of the business unit. */
  readonly locale: string | null
  readonly variables: Values
  /** Variables that the template must declare. */
  readonly required: readonly string[]
}

/**
 * Checks the variables of the template and of each translation, and renders those two that a message most likely has:
 * the template itself, and the translation for the language of the message. Drops the results. The text of another
 * translation can still be too long for its values when the language of the message changes.
 * Throws invalid_request, business_unit_not_found, business_unit_deleted, template_unusable, rate_limited,
 * service_unavailable.
 */
export async function checkTemplate(deps: Deps, { traceId }: ServiceCaller, check: TemplateCheck): Promise<undefined> {
  const { tenantId } = check
  const { businessUnit } = await deps.businessUnits.requireActive({ tenantId, traceId }, check.businessUnitId)
  const language = messageLocale(check.locale, businessUnit)
  const { named, translations, nearest } = await deps.db.readInTenant(tenantId, async (tx) => {
    const found = await requireUsableTemplate(tx, tenantId, check)
    const others = found.kind === 'built_in' ? [] : await listTranslations(tx, tenantId, found)
    const translated = { named: found, translations: others }
    return { ...translated, nearest: await chooseTranslation(tx, tenantId, translated, language) }
  })
  for (const template of [named, ...translations]) {
    try {
      await loopShare.run(tenantId, () => {
        requireVariables(template, check)
        const rendered = [named, nearest].find(({ id }) => id === template.id)
        if (rendered !== undefined) renderTemplate(rendered, messageValues(rendered, check), businessUnit)
      })
    } catch (error) {
      throw template.id === named.id ? error : namedInProblem(error, template)
    }
  }
}

function requireVariables(template: Translation, check: TemplateCheck): void {
  const declared = new Set(template.variables.map(({ name }) => name))
  const lacking = check.required.filter((name) => !declared.has(name))
  if (lacking.length > 0) throw templateUnusable(`must declare the variables ${lacking.join(', ')}`)
  rejectErrors(errorsOfValues(template, messageValues(template, check)))
}

const messageValues = (template: Translation, { variables, locale }: TemplateCheck): MessageValues => ({
  values: declaredValues(template, variables),
  items: [],
  locale,
})

/** The problem of a translation, whose errors name it: the request names another template. */
function namedInProblem(error: unknown, { id, locale }: Translation): unknown {
  if (!(error instanceof Problem)) return error
  const { options } = error
  const errors = options.errors?.map(({ pointer, detail }) => ({
    pointer,
    detail: `${detail} (translation ${locale}, ${id})`,
  }))
  return new Problem(error, { ...options, ...(errors === undefined ? {} : { errors }) })
}
