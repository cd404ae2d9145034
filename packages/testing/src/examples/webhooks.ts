import { randomUUID } from 'node:crypto'
import { findExample, type Recorder } from './recorder.ts'
import type { Scenario } from './scenario.ts'

const hourMs = 3_600_000

/** Subscriptions and their authentication, the events of a payment, and the deliveries of a test event. */
export async function recordWebhooks(scenario: Scenario): Promise<void> {
  const { recorder, unitId, destinations } = scenario
  await recordAuthInfos(recorder)
  const unit = { business_unit_id: unitId }
  const body = { ...findExample('createSubscription'), destination_url: destinations.accepting }
  const { id: bu_webhook_id } = await recorder.record('createSubscription', { path: unit, body })
  const path = { ...unit, bu_webhook_id }
  await recorder.record('readSubscription', { path })
  await recorder.record('listSubscriptions', { path: unit, query: { limit: 2 } })
  await recorder.record('listTenantSubscriptions', { query: { limit: 2, include: 'health' } })
  await recorder.record('readSubscriptionHealth', { path })
  await recorder.record('revealSubscription', { path })
  await recorder.record('revealSubscriptions', { path: unit, query: { limit: 2 } })
  await recorder.record('rotateSubscriptionSecret', { path })
  await recorder.record('updateSubscription', { path })
  await recorder.record('listEventTypes', { query: { limit: 2 } })
  await recorder.record('sendTestEvent', { path })
  await recordDeliveries(recorder, { unit, path })
  const range = {
    since: new Date(Math.floor(Date.now() / hourMs) * hourMs).toISOString(),
    until: new Date().toISOString(),
  }
  await recorder.record('recoverSubscription', { path, body: range })
  await recorder.record('discardHeldDeliveries', { path })
  await recorder.sendUntil('listDeadLetterTasks', {}, isEachDone)
  await rejectSubscriptions(recorder, { unit, path })
  await recorder.record('deleteSubscription', { path })
}

interface Paths {
  readonly unit: { readonly business_unit_id: string }
  readonly path: { readonly business_unit_id: string; readonly bu_webhook_id: string }
}

const isEachDone = ({ data }: any) => data.every(({ status }: any) => status === 'done')

async function recordAuthInfos(recorder: Recorder): Promise<void> {
  const { id: webhook_auth_info_id } = await recorder.record('createAuthInfo')
  const path = { webhook_auth_info_id }
  await recorder.record('readAuthInfo', { path })
  await recorder.record('listAuthInfos', { query: { limit: 2 } })
  await recorder.record('revealAuthInfo', { path })
  await recorder.record('updateAuthInfo', { path })
  await recorder.record('deleteAuthInfo', { path })
  await recorder.reject('auth_info_not_found', 'readAuthInfo', { path })
}

async function recordDeliveries(recorder: Recorder, { unit, path }: Paths): Promise<void> {
  const query = { limit: 2, event_type: 'webhooks.test' }
  const isDelivered = ({ data }: any) => data[0]?.status === 'delivered'
  const { data } = await recorder.recordWhen('listDeliveries', { path: unit, query }, isDelivered)
  const [{ id: delivery_id, tenant_event_id }] = data
  await recorder.record('listTenantDeliveries', { query })
  await recorder.record('readDelivery', { path: { ...unit, delivery_id } })
  await recorder.record('listEvents', { path: unit, query })
  await recorder.record('listTenantEvents', { query })
  await recorder.record('explainEvent', { path: { ...unit, tenant_event_id } })
  await recorder.record('readChanges')
  await recorder.record('retryDelivery', { path: { ...unit, delivery_id } })
  const isRetried = ({ status, attempt_count }: any) => status === 'delivered' && attempt_count === 2
  await recorder.sendUntil('readDelivery', { path: { ...unit, delivery_id } }, isRetried)
  await recorder.reject('delivery_not_found', 'readDelivery', { path: { ...unit, delivery_id: path.bu_webhook_id } })
  await recorder.reject('event_not_found', 'explainEvent', { path: { ...unit, tenant_event_id: randomUUID() } })
}

async function rejectSubscriptions(recorder: Recorder, { unit, path }: Paths): Promise<void> {
  const creation = findExample('createSubscription')
  const foreign = { ...creation, event_types: ['payments.all'] }
  await recorder.reject('unknown_event_type', 'createSubscription', { path: unit, body: foreign })
  const unknown = { ...path, bu_webhook_id: randomUUID() }
  await recorder.reject('subscription_not_found', 'readSubscription', { path: unknown })
}

/** A destination that refuses every connection: its deliveries become dead letters. */
export async function recordDeadLetters({ recorder, unitId, destinations }: Scenario): Promise<void> {
  const unit = { business_unit_id: unitId }
  const body = { ...findExample('createSubscription'), destination_url: destinations.refusing }
  const { id: bu_webhook_id } = await recorder.send('createSubscription', { path: unit, body })
  await recorder.send('sendTestEvent', { path: { ...unit, bu_webhook_id } })
  const isDead = ({ data }: any) => data.length > 0
  const { data } = await recorder.recordWhen('listDeadLetters', { query: { limit: 2 } }, isDead)
  const [{ id: dead_letter_id }] = data
  await recorder.record('readDeadLetter', { path: { dead_letter_id } })
  await recorder.record('redriveDeadLetters')
  await recorder.record('discardDeadLetters')
  await recorder.send('discardDeadLetters', { body: { filter: {}, reason: 'The endpoint was retired' } })
  const tasks = await recorder.recordWhen('listDeadLetterTasks', { query: { limit: 2 } }, isEachDone)
  const path = { task_id: tasks.data[0].id }
  await recorder.record('readDeadLetterTask', { path })
  await recorder.reject('task_finished', 'cancelDeadLetterTask', { path })
  await recorder.reject('task_not_found', 'readDeadLetterTask', { path: { task_id: randomUUID() } })
  await recorder.reject('dead_letter_not_found', 'readDeadLetter', { path: { dead_letter_id: randomUUID() } })
  await recordCancellation(recorder, { ...unit, bu_webhook_id })
  await recorder.send('deleteSubscription', { path: { ...unit, bu_webhook_id } })
}

/** A task with a rate of one delivery per second is running when it is canceled. */
async function recordCancellation(recorder: Recorder, path: Paths['path']): Promise<void> {
  for (let count = 0; count < 3; count++) await recorder.send('sendTestEvent', { path })
  await recorder.sendUntil('listDeadLetters', {}, ({ data }) => data.length >= 3)
  const body = { filter: {}, rate_per_second: 1 }
  const { task_id } = await recorder.send('redriveDeadLetters', { body })
  await recorder.sendUntil('readDeadLetterTask', { path: { task_id } }, ({ done }) => done > 0)
  await recorder.record('cancelDeadLetterTask', { path: { task_id } })
  await recordRecovery(recorder, path)
}

async function recordRecovery(recorder: Recorder, path: Paths['path']): Promise<void> {
  const body = { ...rangeOfThisHour(), rate_per_second: 1 }
  const { task_id: recovery_id } = await recorder.send('recoverSubscription', { path, body })
  await recorder.recordWhen('readRecovery', { path: { recovery_id } }, ({ done }) => done > 0)
  await recorder.record('cancelRecovery', { path: { recovery_id } })
}

/** The hour before too, since a new hour may begin at any time. */
const rangeOfThisHour = () => ({
  since: new Date((Math.floor(Date.now() / hourMs) - 1) * hourMs).toISOString(),
  until: new Date().toISOString(),
})
