import type { Caller } from '@payments/chassis/base/caller'
import { cursorAt, type Page, type PageQuery, pageOfPart, positionBehind } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/communication/contract'
import type { TemplateVersion } from '@payments/contracts/services/communication/templates'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import { presentTemplateVersion } from '../domain/template.ts'
import { findTemplate, listVersions } from '../store/templates.ts'

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
    if ((await findTemplate(tx, tenantId, id)) === null) throw new Problem(problems.template_not_found)
    const part = await listVersions(tx, tenantId, id, { before, limit })
    const cursorAfter = (version: number) => cursorAt([version])
    return pageOfPart(part, cursorAfter, (row) => presentTemplateVersion(id, row))
  })
}
