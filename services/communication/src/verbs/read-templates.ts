import type { Caller } from '@payments/chassis/base/caller'
import { loopShare } from '@payments/chassis/base/loop-share'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import {
  cursorAt,
  encodeCursor,
  idBefore,
  type Page,
  type PageQuery,
  pageOfPart,
  positionBehind,
  toPage,
} from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { type communicationContract, problems } from '@payments/contracts/services/communication/contract'
import type { Template, TemplateVersion } from '@payments/contracts/services/communication/templates'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { builtInTemplate, builtInTemplates } from '../domain/built-in-templates.ts'
import type { Rendered, Values } from '../domain/render.ts'
import { renderTemplate } from '../domain/render-template.ts'
import { presentTemplate, presentTemplateVersion, type TemplateFacts } from '../domain/template.ts'
import * as templates from '../store/templates.ts'

type TemplatesQuery = RequestOf<typeof communicationContract.endpoints.listTemplates>['query']

/** Built-in templates have the lowest ids, so they are the end of the list. */
export async function listTemplates(deps: Deps, caller: Caller, query: TemplatesQuery): Promise<Page<Template>> {
  const { limit, kind, locale, communication_type: communicationType, business_unit_id: businessUnitId } = query
  const { tenantId } = caller
  const before = idBefore(query.cursor)
  const search = { before, limit, businessUnitId, communicationType, locale }
  const custom =
    kind === 'built_in'
      ? { rows: [], continuesAfter: null }
      : await deps.db.readInTenant(tenantId, (tx) => templates.list(tx, tenantId, search))
  const builtIn = builtInTemplates.filter(
    (template) =>
      kind !== 'custom' &&
      locale === undefined &&
      (before === undefined || template.id < before) &&
      (communicationType === undefined || template.communicationType === communicationType),
  )
  if (custom.continuesAfter !== null) return pageOfPart(custom, encodeCursor, presentTemplate)
  return toPage([...custom.rows, ...builtIn], limit, presentTemplate)
}

/** Throws template_not_found. */
export async function readTemplate(deps: Deps, caller: Caller, id: string): Promise<Template> {
  return presentTemplate(await requireTemplate(deps, caller, id))
}

async function requireTemplate({ db }: Deps, { tenantId }: Caller, id: string): Promise<TemplateFacts> {
  const builtIn = builtInTemplate(id)
  if (builtIn !== undefined) return builtIn
  const template = await db.readInTenant(tenantId, (tx) => templates.findTemplate(tx, tenantId, id))
  if (template === null) throw new Problem(problems.template_not_found)
  return template
}

interface Preview {
  readonly businessUnitId: string | null
  readonly values: Values
  /** The language of a built-in template. */
  readonly locale: string | null
}

/**
 * Renders the template itself, not one of its translations.
 * Throws template_not_found, business_unit_not_found, invalid_request, rate_limited, service_unavailable.
 */
export async function previewTemplate(
  deps: Deps,
  caller: Caller,
  id: string,
  { businessUnitId, values, locale }: Preview,
): Promise<Rendered> {
  const template = await requireTemplate(deps, caller, id)
  const unit = businessUnitId === null ? null : (await deps.businessUnits.find(caller, businessUnitId)).businessUnit
  return loopShare.run(caller.tenantId, () => renderTemplate(template, { values, items: null, locale }, unit))
}

const position = z.tuple([z.int().min(1).max(2_147_483_647)])

/** A built-in template has one version. Throws template_not_found. */
export async function listTemplateVersions(
  deps: Deps,
  { tenantId }: Caller,
  id: string,
  { cursor, limit }: PageQuery,
): Promise<Page<TemplateVersion>> {
  const [before] = positionBehind(cursor, position) ?? []
  const builtIn = builtInTemplate(id)
  if (builtIn !== undefined) {
    const isSeen = before !== undefined && before <= builtIn.version
    return { data: isSeen ? [] : [presentTemplateVersion(id, builtIn)], next_cursor: null }
  }
  return deps.db.readInTenant(tenantId, async (tx) => {
    if ((await templates.findTemplate(tx, tenantId, id)) === null) throw new Problem(problems.template_not_found)
    const part = await templates.listVersions(tx, tenantId, id, { before, limit })
    const cursorAfter = (version: number) => cursorAt([version])
    return pageOfPart(part, cursorAfter, (row) => presentTemplateVersion(id, row))
  })
}
