import { randomUUID } from 'node:crypto'
import { findExample } from './recorder.ts'
import type { Scenario } from './scenario.ts'

/** Templates, a message, and the outbox of development in which the message lies. */
export async function recordMessages({ recorder, unitId }: Scenario): Promise<void> {
  const { id: template_id } = await recorder.record('createTemplate')
  const path = { template_id }
  await recorder.record('readTemplate', { path })
  await recorder.record('updateTemplate', { path })
  await recorder.record('listTemplates', { query: { limit: 2, kind: 'custom' } })
  await recorder.record('listTemplateVersions', { path, query: { limit: 2 } })
  await recorder.record('previewTemplate', { path })
  const body = { ...findExample('sendCommunication'), business_unit_id: unitId }
  const { id: communication_id } = await recorder.record('sendCommunication', { body })
  const isSent = ({ status }: any) => status === 'sent'
  await recorder.recordWhen('readCommunication', { path: { communication_id } }, isSent)
  await recorder.record('listCommunications', { query: { limit: 2, recipient: body.recipient } })
  await recorder.record('listOutboxMessages', { query: { limit: 2, recipient: body.recipient } })
  await recorder.reject('communication_not_found', 'readCommunication', { path: { communication_id: randomUUID() } })
  await recorder.record('deleteTemplate', { path })
  await recorder.reject('template_not_found', 'readTemplate', { path })
}
