import { loopShare } from '@payments/chassis/base/loop-share'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import type { Deps } from '../deps.ts'
import { visibleSender } from '../domain/branding.ts'
import { type CommunicationFacts, type Draft, renderWithoutTemplate } from '../domain/communication.ts'
import { messageLocale } from '../domain/locales.ts'
import type { Rendered } from '../domain/render.ts'
import { declaredValues, renderTemplate } from '../domain/render-template.ts'
import { insertCommunication } from '../store/communications.ts'
import type { Tx } from '../store/database.ts'
import { requireEncodableEnd } from './queues.ts'
import { countAgainstRates, type MessagePurpose } from './rates.ts'
import { nearestTranslation, requireUsableTemplate } from './usable-template.ts'

export interface NewCommunication {
  readonly id: string
  readonly tenantId: string
  readonly traceId: string
  readonly unit: BusinessUnit
  readonly draft: Draft
  /** Treatment of variables that the template does not declare. */
  readonly undeclared: 'reject' | 'drop'
  readonly purpose: MessagePurpose
  /** The key or user that sends it. Null: the platform does. */
  readonly sender: string | null
}

/**
 * Stores the rendered message as a queued communication. Throws invalid_request, template_unusable, rate_limited, and
 * EventRejected.
 */
export async function enqueue(
  tx: Tx,
  deps: Pick<Deps, 'providers' | 'rates' | 'now' | 'payerHashKeys'>,
  communication: NewCommunication,
): Promise<CommunicationFacts> {
  const { id, tenantId, traceId, unit, draft } = communication
  const { communicationType, recipient } = draft
  await countAgainstRates(tx, deps, tenantId, {
    recipient,
    purpose: communication.purpose,
    sender: communication.sender,
  })
  const { rendered, ...facts } = await renderDraft(tx, communication)
  const queued = await insertCommunication(tx, tenantId, {
    id,
    businessUnitId: unit.id,
    communicationType,
    recipient,
    ...facts,
    provider: deps.providers[communicationType].name,
    traceId,
    content: { ...visibleSender(unit), ...rendered },
    dueAt: deps.now(),
  })
  requireEncodableEnd(queued, { tenantId, traceId })
  return queued
}

type RenderedDraft = Pick<CommunicationFacts, 'templateId' | 'templateName' | 'templateVersion' | 'amount'> & {
  readonly rendered: Rendered
}

const withoutTemplate = { templateId: null, templateName: null, templateVersion: null, amount: null }

/** The text of the message, and the template that it has: the named one, or the translation that is nearest. */
async function renderDraft(tx: Tx, { tenantId, unit, draft, undeclared }: NewCommunication): Promise<RenderedDraft> {
  const { templateId, communicationType, variables, items, locale } = draft
  if (templateId === null)
    return { ...withoutTemplate, rendered: await loopShare.run(tenantId, () => renderWithoutTemplate(draft)) }
  const use = { templateId, communicationType, businessUnitId: unit.id }
  const named = await requireUsableTemplate(tx, tenantId, use)
  const template = await nearestTranslation(tx, tenantId, named, messageLocale(locale, unit))
  const given = variables ?? {}
  const values = undeclared === 'drop' ? declaredValues(template, given) : given
  return {
    templateId: template.id,
    templateName: template.name,
    templateVersion: template.version,
    amount: given['amount'] ?? null,
    rendered: await loopShare.run(tenantId, () => renderTemplate(template, { values, items, locale }, unit)),
  }
}
