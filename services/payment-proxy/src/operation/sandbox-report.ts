import { newId } from '@payments/chassis/base/id'
import type { KnownOutcome } from '../domain/outcome.ts'
import { queuedMax } from '../domain/provider-event.ts'
import type { Tx } from '../store/database.ts'
import { hasQueuedEvents, insertProviderEvent } from '../store/provider-events.ts'
import type { SandboxRow } from '../store/sandbox-operations.ts'

/** Reports an outcome of the sandbox like a provider webhook. Beyond the bound of waiting events, a sync finds it. */
export async function reportSandboxOutcome(
  tx: Tx,
  { id: operationId, tenantId, paymentOrchestratorId }: SandboxRow,
  outcome: KnownOutcome,
  { receivedAt, dueAt }: { readonly receivedAt: Date; readonly dueAt: Date },
): Promise<void> {
  if (await hasQueuedEvents(tx, tenantId, paymentOrchestratorId, queuedMax)) return
  const { providerReference } = outcome
  const event = { eventId: `evt_${operationId}`, operationId, providerReference, outcome }
  const waiting = { receivedAt, appliedAt: null, attemptCount: 0, dueAt }
  await insertProviderEvent(tx, tenantId, { ...event, id: newId(), tenantId, paymentOrchestratorId, ...waiting })
}
