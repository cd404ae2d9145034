import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { problems } from '@payments/contracts/services/communication/contract'
import type { Template } from '@payments/contracts/services/communication/templates'
import type { Deps } from '../deps.ts'
import { builtInTemplate } from '../domain/built-in-templates.ts'
import { presentTemplate } from '../domain/template.ts'
import { findTemplate } from '../store/templates.ts'

/** Throws template_not_found. */
export async function readTemplate(deps: Deps, { tenantId }: Caller, id: string): Promise<Template> {
  const template = builtInTemplate(id) ?? (await deps.db.readInTenant(tenantId, (tx) => findTemplate(tx, tenantId, id)))
  if (template === null) throw new Problem(problems.template_not_found)
  return presentTemplate(template)
}
