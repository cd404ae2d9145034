import type { Rate } from '@payments/chassis/base/rates'
import { createActorRate } from '@payments/chassis/request/actor-rate'
import type { Handlers } from '@payments/chassis/request/router'
import type { webhooks } from '@payments/contracts/services/webhooks/contract'
import { secretHandlers } from '@payments/service/secret-handlers'
import type { Deps } from '../deps.ts'
import { configPurpose } from '../domain/auth-info/auth-info.ts'
import { toDeliveryFilter } from '../domain/delivery/delivery.ts'
import { toEventFilter } from '../domain/event/event.ts'
import { secretPurpose } from '../domain/subscription/subscription.ts'
import { createAuthInfo } from '../verbs/create-auth-info.ts'
import { createSubscription } from '../verbs/create-subscription.ts'
import { deleteAuthInfo } from '../verbs/delete-auth-info.ts'
import { deleteSubscription } from '../verbs/delete-subscription.ts'
import { discardHeldDeliveries } from '../verbs/discard-held-deliveries.ts'
import { purgeDeliveries } from '../verbs/purge-deliveries.ts'
import { listAuthInfos, readAuthInfo, revealAuthInfo } from '../verbs/read-auth-infos.ts'
import { readChanges } from '../verbs/read-changes.ts'
import {
  listDeliveries,
  listTenantDeliveries,
  readDelivery,
  readDeliveryStatistics,
  readDeliveryUsage,
} from '../verbs/read-deliveries.ts'
import { explainEvent, listEvents, listEventTypes } from '../verbs/read-events.ts'
import {
  listSubscriptions,
  readSubscription,
  readSubscriptionHealth,
  revealSubscription,
  revealSubscriptions,
} from '../verbs/read-subscriptions.ts'
import { recoverSubscription } from '../verbs/recover-subscription.ts'
import { retryDelivery } from '../verbs/retry-delivery.ts'
import { rotateSubscriptionSecret } from '../verbs/rotate-subscription-secret.ts'
import { sendTestEvent } from '../verbs/send-test-event.ts'
import { updateAuthInfo } from '../verbs/update-auth-info.ts'
import { updateSubscription } from '../verbs/update-subscription.ts'
import { deadLetterRoutes } from './dead-letter-routes.ts'

export const encryptedColumns = [
  { table: 'subscriptions', id: 'id', column: 'secret_encrypted', purpose: secretPurpose },
  { table: 'subscriptions', id: 'id', column: 'previous_secret_encrypted', purpose: secretPurpose },
  { table: 'auth_infos', id: 'id', column: 'config_encrypted', purpose: configPurpose },
]

/** Of a tenant: test events and retries delay the deliveries that follow them to their destination. */
const testEventRate: Rate = { perSecond: 2, burst: 200 }
const retryRate: Rate = { perSecond: 5, burst: 300 }

export const createRates = (ofTestEvents = testEventRate, ofRetries = retryRate) => ({
  sendTest: createActorRate('sends test events', ofTestEvents),
  retry: createActorRate('retries deliveries', ofRetries),
})

export const routes = (deps: Deps, { sendTest, retry } = createRates()): Handlers<typeof webhooks> => ({
  createSubscription: (caller, { params, body }) => createSubscription(deps, caller, params.business_unit_id, body),
  listTenantSubscriptions: (caller, { query: { business_unit_id: businessUnitId, ...query } }) =>
    listSubscriptions(deps, caller, businessUnitId, query),
  listSubscriptions: (caller, { params, query }) => listSubscriptions(deps, caller, params.business_unit_id, query),
  revealSubscriptions: (caller, { params, query }) => revealSubscriptions(deps, caller, params.business_unit_id, query),
  readSubscription: (caller, { params }) =>
    readSubscription(deps, caller, params.business_unit_id, params.bu_webhook_id),
  readSubscriptionHealth: (caller, { params }) =>
    readSubscriptionHealth(deps, caller, params.business_unit_id, params.bu_webhook_id),
  revealSubscription: (caller, { params }) =>
    revealSubscription(deps, caller, params.business_unit_id, params.bu_webhook_id),
  updateSubscription: (caller, { params, body }) =>
    updateSubscription(deps, caller, params.business_unit_id, params.bu_webhook_id, body),
  deleteSubscription: (caller, { params }) =>
    deleteSubscription(deps, caller, params.business_unit_id, params.bu_webhook_id),
  rotateSubscriptionSecret: (caller, { params, body }) =>
    rotateSubscriptionSecret(deps, caller, params.business_unit_id, params.bu_webhook_id, body.grace_period_seconds),
  sendTestEvent: (caller, { params }) =>
    sendTest(caller, () => sendTestEvent(deps, caller, params.business_unit_id, params.bu_webhook_id)),
  createAuthInfo: (caller, { body }) => createAuthInfo(deps, caller, body),
  listAuthInfos: (caller, { query }) => listAuthInfos(deps, caller, query),
  readAuthInfo: (caller, { params }) => readAuthInfo(deps, caller, params.webhook_auth_info_id),
  revealAuthInfo: (caller, { params }) => revealAuthInfo(deps, caller, params.webhook_auth_info_id),
  updateAuthInfo: (caller, { params, body }) => updateAuthInfo(deps, caller, params.webhook_auth_info_id, body),
  deleteAuthInfo: (caller, { params }) => deleteAuthInfo(deps, caller, params.webhook_auth_info_id),
  listDeliveries: (caller, { params, query: { limit, cursor, ...filter } }) =>
    listDeliveries(deps, caller, params.business_unit_id, toDeliveryFilter(filter), { limit, cursor }),
  listTenantDeliveries: (caller, { query: { limit, cursor, ...filter } }) =>
    listTenantDeliveries(deps, caller, toDeliveryFilter(filter), { limit, cursor }),
  readDelivery: (caller, { params }) => readDelivery(deps, caller, params.business_unit_id, params.delivery_id),
  listEventTypes: (_, { query }) => listEventTypes(query),
  retryDelivery: (caller, { params }) =>
    retry(caller, () => retryDelivery(deps, caller, params.business_unit_id, params.delivery_id)),
  listEvents: (caller, { params, query: { limit, cursor, ...filter } }) =>
    listEvents(
      deps,
      caller,
      { ...toEventFilter(filter), businessUnitId: params.business_unit_id, includesTenant: true },
      { limit, cursor },
    ),
  listTenantEvents: (caller, { query: { limit, cursor, ...filter } }) =>
    listEvents(deps, caller, toEventFilter(filter), { limit, cursor }),
  readDeliveryStatistics: (caller, { query }) => readDeliveryStatistics(deps, caller, query),
  readDeliveryUsage: (caller, { query }) => readDeliveryUsage(deps, caller, query.month),
  readChanges: (caller, { query }) =>
    readChanges(deps, caller, { after: query.after, waitSeconds: query.wait_seconds }),
  explainEvent: (caller, { params }) => explainEvent(deps, caller, params.business_unit_id, params.tenant_event_id),
  recoverSubscription: (caller, { params, body }) =>
    recoverSubscription(deps, caller, params.business_unit_id, {
      subscriptionId: params.bu_webhook_id,
      since: body.since.toISOString(),
      until: body.until.toISOString(),
      includeUnmatched: body.include_unmatched,
      dryRun: body.dry_run,
      ratePerSecond: body.rate_per_second ?? null,
    }),
  discardHeldDeliveries: (caller, { params, body }) =>
    discardHeldDeliveries(deps, caller, params.business_unit_id, params.bu_webhook_id, body.reason),
  ...deadLetterRoutes(deps),
  purgeDeliveries: (_, { body }) => purgeDeliveries(deps, body.keep_days),
  ...secretHandlers(encryptedColumns, deps),
})
