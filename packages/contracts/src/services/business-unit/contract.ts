import { z } from 'zod'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint, rotationProblems } from '../../endpoints/key-rotation.ts'
import { contract } from '../../grammar/contract.ts'
import { currencyCode } from '../../grammar/currency.ts'
import { tenantEvent, unitEvent } from '../../grammar/event.ts'
import { id, instant, tenantParams, text, updateBody, uuid } from '../../grammar/field.ts'
import { urlText } from '../../grammar/host.ts'
import { nameText, uniqueName } from '../../grammar/name.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { locale } from '../../nouns/locale.ts'
import { connectorNames, credentialsText } from '../../nouns/payment-connectors.ts'
import { businessUnitProblems, modeProblems, orchestratorProblems } from '../../problems/business-unit.ts'
import { destinationProblems } from '../../problems/destination.ts'
import { branding, brandingChange, communication, communicationChange } from './branding.ts'
import { settings, settingsChange } from './settings.ts'

export const problems = defineProblems({
  ...businessUnitProblems,
  ...orchestratorProblems,
  ...modeProblems,
  business_unit_name_taken: {
    status: 409,
    title: 'Name of a business unit already in use',
    explanation:
      'Names are unique among the active business units of a tenant. Names that differ only in case, white space or Unicode form (NFKC) are the same name. Choose another name.',
  },
  too_many_business_units: {
    status: 409,
    title: 'Too many business units',
    explanation: 'A tenant can have 200 active business units. Delete unused ones.',
  },
  too_many_payment_orchestrators: {
    status: 409,
    title: 'Too many payment orchestrators',
    explanation:
      'A business unit can have 50 payment orchestrators, and 128 KiB as JSON: delete unused ones. With the deleted ones, it can have 200, and 256 KiB as JSON: create another business unit. Credentials, status and default can always change; longer texts until 320 KiB: shorten others.',
  },
  payment_orchestrator_deleted: {
    status: 409,
    title: 'The payment orchestrator is deleted',
    explanation: 'A deleted payment orchestrator cannot be changed. Create another one.',
  },
  last_default_orchestrator: {
    status: 409,
    title: 'The payment orchestrator is the default',
    explanation:
      'Requests without `payment_orchestrator_id` use the default, so it stays active. Make another payment orchestrator the default first, or delete this one.',
  },
  invalid_gateway_authentication: {
    status: 422,
    title: 'The credentials do not fit the connector',
    explanation: '`errors` names each field of `gateway_authentication` that the connector does not accept.',
  },
  ...destinationProblems,
  ...rotationProblems,
})

/** Active ones, per tenant. */
export const businessUnitsMax = 200
/** Not deleted ones, per business unit. */
export const paymentOrchestratorsMax = 50
/** Deleted ones included, per business unit: a copy of the unit has all of them. */
export const storedPaymentOrchestratorsMax = 200
/** Of all these as JSON, for a creation: each payment reads the copy of its unit. */
export const storedPaymentOrchestratorBytesMax = 256 * 1024
/** Of the not deleted ones as JSON, for a creation: their deletion permits as many again. */
export const createdPaymentOrchestratorBytesMax = 128 * 1024

const status = z.enum(['active', 'deleted']).meta({ id: 'BusinessUnitStatus' })

const timezoneName = z
  .string()
  .max(64)
  .meta({
    description: 'IANA name of the time zone of the unit.',
    pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
    examples: ['Europe/Berlin', 'UTC'],
  })
  .overwrite((written) => timezoneIn(written) ?? written)
  .refine((name) => timezoneIn(name) !== undefined, 'must be an IANA time zone, for example Europe/Berlin')

/**
 * The name in the case of the IANA database; an alias, such as Asia/Kolkata, as it is written. Undefined for
 * other texts: `Intl` also accepts offsets such as +01:00.
 */
function timezoneIn(written: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(written)) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions()
    return timeZone.toLowerCase() === written.toLowerCase() ? timeZone : written
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const localeText = 'Language of pages and messages for payers whose language is not known. Null means English.'

const businessUnit = z
  .object({
    id: uuid.describe('Identifier of the business unit.'),
    name: z.string().describe('Name of the unit.'),
    timezone_name: z.string().describe('IANA name of the time zone of the unit.'),
    default_currency: z.string().nullable().describe('Currency of requests that name none. Null means none.'),
    default_locale: z.string().nullable().describe(localeText),
    branding: branding,
    communication: communication,
    status: status.describe('A `deleted` unit takes no new resources and no new authorizations.'),
    version: z.int().describe('Grows with each change. Of two events, the one with the higher version is the later.'),
    created_at: instant.describe('When the unit was created.'),
    updated_at: instant.describe('When the unit last changed.'),
  })
  .meta({ id: 'BusinessUnit', description: 'A part of the tenant that takes payments.' })

export type BusinessUnit = z.input<typeof businessUnit>

const methods = z.enum(['CREDIT_CARD', 'ACH']).meta({ id: 'PaymentMethod' })
const orchestratorStatus = z.enum(['active', 'inactive', 'deleted']).meta({ id: 'PaymentOrchestratorStatus' })

const paymentOrchestrator = z
  .object({
    id: uuid.describe('Identifier of the payment orchestrator.'),
    business_unit_id: uuid.describe('Business unit that uses it.'),
    name: z.string().describe('Name of the payment orchestrator.'),
    payment_gateway: z.enum(connectorNames).describe('Connector that calls the payment provider.'),
    mode: z
      .enum(['test', 'live'])
      .describe('Whether it moves money. The sandbox has the mode `test` only, which cannot be active in production.'),
    gateway_url: z.string().nullable().describe('Base URL of the API of the provider. Null: that of the connector.'),
    iframe_url: z.string().nullable().describe("Page with the provider's card fields, for the pay page to frame."),
    tokenizer_url: z.string().nullable().describe('Endpoint that exchanges a card for a token.'),
    card_page_trusted: z
      .boolean()
      .describe(
        'Whether the operator of the platform lists the origins of the two pages. Other pages are named as foreign to payers.',
      ),
    gateway_authentication_fingerprint: z
      .string()
      .nullable()
      .describe('Changes when the credentials change. Null without credentials.'),
    payment_methods: z.array(methods).nullable().describe('Payment methods that it accepts. Null means all.'),
    currencies: z.array(z.string()).nullable().describe('Currencies that it accepts. Null means all.'),
    is_default: z.boolean().describe('Whether requests that name no payment orchestrator use this one.'),
    status: orchestratorStatus.describe('Only an `active` one takes new authorizations.'),
    settings: z.record(z.string(), z.unknown()).describe('Settings of the connector.'),
    version: z.int().describe('Grows with each change. Of two events, the one with the higher version is the later.'),
    created_at: instant.describe('When the payment orchestrator was created.'),
    updated_at: instant.describe('When the payment orchestrator last changed.'),
  })
  .meta({ id: 'PaymentOrchestrator', description: 'A way to reach one payment provider with one set of credentials.' })

export type PaymentOrchestrator = z.input<typeof paymentOrchestrator>

const unitFields = {
  name: uniqueName.meta({
    description: 'Name of the unit. Unique among the active units of the tenant.',
    examples: ['Berlin store'],
  }),
  timezone_name: timezoneName,
  default_currency: currencyCode.nullable().describe('Currency of requests that name none. Null means none.'),
  default_locale: locale.nullable().describe(localeText),
  branding,
  communication,
}

const url = (description: string) => urlText.nullable().describe(description)

const orchestratorFields = {
  name: nameText(200).describe('Name of the payment orchestrator.'),
  gateway_url: url(
    'Base URL of the API of the provider. Required for `http`; null means that of the connector. A change requires the credentials again.',
  ),
  iframe_url: url(
    "Page with the provider's card fields, for the pay page to frame, on an origin that the operator of the platform lists for the connector. Another page requires the credentials again.",
  ),
  tokenizer_url: url('Endpoint that exchanges a card for a token. The rules of `iframe_url` apply.'),
  gateway_authentication: z.record(text(100), text(4096)).describe(credentialsText),
  payment_methods: z.array(methods).min(1).max(10).nullable().describe('Payment methods. Null means all.'),
  currencies: z.array(currencyCode).min(1).max(200).nullable().describe('Currencies. Null means all.'),
  is_default: z
    .boolean()
    .describe('Whether requests that name none use this one. The previous default is one no more.'),
  status: z.enum(['active', 'inactive']).describe('Only an `active` one takes new authorizations.'),
  settings,
}

const unitParams = z.strictObject({ business_unit_id: id.describe('Identifier of the business unit.') })
const params = unitParams.extend({ payment_orchestrator_id: id.describe('Identifier of the payment orchestrator.') })

const unitPayload = z.object({ business_unit: businessUnit }).meta({ id: 'BusinessUnitEvent' })
const orchestratorPayload = z
  .object({ payment_orchestrator: paymentOrchestrator })
  .meta({ id: 'PaymentOrchestratorEvent' })

const unitPath = '/v1/business-unit/business-units'
const onePath = `${unitPath}/{business_unit_id}` as const
const orchestratorsPath = `${onePath}/payment-orchestrators` as const
const oneOrchestratorPath = `${orchestratorsPath}/{payment_orchestrator_id}` as const

const exampleUnit: BusinessUnit = {
  id: '0191e4a2-0000-7d11-8c55-91b6e0a7c002',
  name: 'Berlin store',
  timezone_name: 'Europe/Berlin',
  default_currency: 'EUR',
  default_locale: 'de',
  branding: { display_name: 'Berlin Coffee', logo_url: null, primary_color: '#1a2b3c', support_email: null },
  communication: { from_name: 'Berlin Coffee', reply_to: null },
  status: 'active',
  version: 1,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

const exampleOrchestrator: PaymentOrchestrator = {
  id: '0191e4a2-0000-7d11-8c55-91b6e0a7c010',
  business_unit_id: exampleUnit.id,
  name: 'Sandbox',
  payment_gateway: 'sandbox',
  mode: 'test',
  gateway_url: null,
  iframe_url: null,
  tokenizer_url: null,
  card_page_trusted: false,
  gateway_authentication_fingerprint: null,
  payment_methods: null,
  currencies: null,
  is_default: true,
  status: 'active',
  settings: {},
  version: 1,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

const unitExample = { business_unit: exampleUnit }
const orchestratorExample = { payment_orchestrator: exampleOrchestrator }

/** Both records, as the services that use them store a copy. */
const unitWithOrchestrators = z.object({
  tenant_id: uuid,
  business_unit: businessUnit,
  payment_orchestrators: z.array(paymentOrchestrator),
})

export type FoundUnit = z.input<typeof unitWithOrchestrators>

export const businessUnitContract = contract({
  service: 'business-unit',
  description: 'Business units and their payment orchestrators.',
  problems,
  endpoints: {
    createBusinessUnit: {
      ...tenantRoute('POST', unitPath, 'businessunit:CreateBusinessUnit'),
      summary: 'Create a business unit.',
      description: 'The unit has no payment orchestrator yet, so it takes no payments yet.',
      example: {
        name: 'Berlin store',
        timezone_name: 'Europe/Berlin',
        default_currency: 'EUR',
        default_locale: 'de',
      },
      body: z.strictObject({
        name: unitFields.name,
        timezone_name: unitFields.timezone_name,
        default_currency: unitFields.default_currency.default(null),
        default_locale: unitFields.default_locale.default(null),
        branding: unitFields.branding.prefault({}),
        communication: unitFields.communication.prefault({}),
      }),
      replies: { 201: businessUnit },
      location: `${unitPath}/{id}`,
      problems: ['business_unit_name_taken', 'too_many_business_units', 'destination_not_allowed'],
      idempotent: true,
    },
    listBusinessUnits: {
      ...tenantRoute('GET', unitPath, 'businessunit:ReadBusinessUnit'),
      summary: 'List business units.',
      query: pageQuery.extend({ status: status.optional().describe('Only units with this status.') }),
      replies: { 200: page(businessUnit) },
    },
    readBusinessUnit: {
      ...tenantRoute('GET', onePath, 'businessunit:ReadBusinessUnit'),
      summary: 'Read a business unit.',
      params: unitParams,
      replies: { 200: businessUnit },
      problems: ['business_unit_not_found'],
    },
    updateBusinessUnit: {
      ...tenantRoute('PATCH', onePath, 'businessunit:UpdateBusinessUnit'),
      summary: 'Update the given fields of a business unit.',
      description: 'The given members of `branding` and `communication` change. Null removes a member.',
      example: { default_currency: 'EUR' },
      params: unitParams,
      body: updateBody(
        z.strictObject({ ...unitFields, branding: brandingChange, communication: communicationChange }).partial(),
      ),
      replies: { 200: businessUnit },
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'business_unit_name_taken',
        'destination_not_allowed',
      ],
    },
    deleteBusinessUnit: {
      ...tenantRoute('DELETE', onePath, 'businessunit:DeleteBusinessUnit'),
      summary: 'Delete a business unit.',
      description:
        'The unit takes no new authorizations. Its transactions can still be read, captured, voided and refunded, and its webhooks still receive their events.',
      params: unitParams,
      replies: { 204: null },
      problems: ['business_unit_not_found'],
    },
    createPaymentOrchestrator: {
      ...tenantRoute('POST', orchestratorsPath, 'businessunit:CreatePaymentOrchestrator'),
      readsPermissions: ['businessunit:UpdatePaymentOrchestrator'],
      summary: 'Create a payment orchestrator.',
      description:
        'With `businessunit:UpdatePaymentOrchestrator` too, a payment orchestrator becomes the default of the unit if no other one is active, whatever `is_default` says. Without it, it never does, and `is_default: true` is 403.',
      example: { name: 'Sandbox', payment_gateway: 'sandbox', mode: 'test' },
      params: unitParams,
      body: z.strictObject({
        name: orchestratorFields.name,
        payment_gateway: z.enum(connectorNames).describe('Connector that calls the payment provider.'),
        mode: z.enum(['test', 'live']).describe('Whether it moves money. The sandbox has the mode `test` only.'),
        gateway_url: orchestratorFields.gateway_url.default(null),
        iframe_url: orchestratorFields.iframe_url.default(null),
        tokenizer_url: orchestratorFields.tokenizer_url.default(null),
        gateway_authentication: orchestratorFields.gateway_authentication.default({}),
        payment_methods: orchestratorFields.payment_methods.default(null),
        currencies: orchestratorFields.currencies.default(null),
        is_default: orchestratorFields.is_default.default(false),
        status: orchestratorFields.status.default('active'),
        settings: orchestratorFields.settings.default({}),
      }),
      replies: { 201: paymentOrchestrator },
      location: `${orchestratorsPath}/{id}`,
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'too_many_payment_orchestrators',
        'test_mode_not_allowed',
        'invalid_gateway_authentication',
        'destination_not_allowed',
      ],
      idempotent: true,
      sensitive: true,
    },
    listPaymentOrchestrators: {
      ...tenantRoute('GET', orchestratorsPath, 'businessunit:ReadPaymentOrchestrator'),
      summary: 'List the payment orchestrators of a business unit.',
      params: unitParams,
      query: pageQuery.extend({
        status: orchestratorStatus.optional().describe('Only payment orchestrators with this status.'),
      }),
      replies: { 200: page(paymentOrchestrator) },
      problems: ['business_unit_not_found'],
    },
    readPaymentOrchestrator: {
      ...tenantRoute('GET', oneOrchestratorPath, 'businessunit:ReadPaymentOrchestrator'),
      summary: 'Read a payment orchestrator.',
      params,
      replies: { 200: paymentOrchestrator },
      problems: ['business_unit_not_found', 'payment_orchestrator_not_found'],
    },
    updatePaymentOrchestrator: {
      ...tenantRoute('PATCH', oneOrchestratorPath, 'businessunit:UpdatePaymentOrchestrator'),
      summary: 'Update the given fields of a payment orchestrator.',
      description:
        'Connector and mode cannot be changed: create another payment orchestrator instead. `gateway_authentication` replaces all credentials. The given members of `settings` change. Null removes a member.',
      example: { status: 'inactive' },
      params,
      body: updateBody(z.strictObject({ ...orchestratorFields, settings: settingsChange }).partial()),
      replies: { 200: paymentOrchestrator },
      problems: [
        'business_unit_not_found',
        'business_unit_deleted',
        'payment_orchestrator_not_found',
        'payment_orchestrator_deleted',
        'too_many_payment_orchestrators',
        'last_default_orchestrator',
        'test_mode_not_allowed',
        'invalid_gateway_authentication',
        'destination_not_allowed',
      ],
      sensitive: true,
    },
    deletePaymentOrchestrator: {
      ...tenantRoute('DELETE', oneOrchestratorPath, 'businessunit:DeletePaymentOrchestrator'),
      summary: 'Delete a payment orchestrator.',
      description:
        'It takes no new authorizations, from about a second after the response on. The transactions that use it can still be captured, voided and refunded, so its credentials stay stored. Its active invitations to pay are canceled. Without the default, a unit takes only requests that name a payment orchestrator.',
      params,
      replies: { 204: null },
      problems: ['business_unit_not_found', 'payment_orchestrator_not_found'],
    },
    provisionBusinessUnit: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/business-units', 'payctl'),
      summary:
        'Create a business unit, outside of production with a sandbox, unless the tenant has a unit with this id.',
      params: tenantParams,
      body: z.strictObject({ business_unit_id: id, name: uniqueName }),
      replies: {
        200: z.object({ business_unit: businessUnit, payment_orchestrators: z.array(paymentOrchestrator) }),
      },
      problems: ['business_unit_not_found', 'business_unit_name_taken', 'too_many_business_units'],
    },
    findBusinessUnit: {
      ...internalRoute(
        'GET',
        '/internal/tenants/{tenant_id}/business-units/{business_unit_id}',
        'webhooks',
        'payment-proxy',
        'communication',
        'invite-to-pay',
      ),
      summary: 'Read a business unit with its payment orchestrators, deleted ones included.',
      params: tenantParams.extend({ business_unit_id: id }),
      replies: { 200: unitWithOrchestrators },
      problems: ['business_unit_not_found'],
    },
    readGatewayAuthentication: {
      ...internalRoute(
        'GET',
        '/internal/tenants/{tenant_id}/payment-orchestrators/{payment_orchestrator_id}/gateway-authentication',
        'payment-proxy',
      ),
      summary: 'Read the credentials of a payment orchestrator, deleted ones included.',
      params: tenantParams.extend({ payment_orchestrator_id: id }),
      replies: {
        200: z.object({
          fingerprint: z.string().nullable(),
          gateway_url: z.string().nullable(),
          gateway_authentication: z.record(z.string(), z.string()),
        }),
      },
      problems: ['payment_orchestrator_not_found'],
    },
    rewrapDataKeys: rewrapDataKeysEndpoint,
    reencryptSecrets: reencryptSecretsEndpoint,
  },
  events: {
    'business-unit.business-units.create': tenantEvent('A business unit was created.', unitPayload, unitExample),
    'business-unit.business-units.update': tenantEvent('A business unit was changed.', unitPayload, unitExample),
    'business-unit.business-units.delete': tenantEvent('A business unit was deleted.', unitPayload, unitExample),
    'business.unit.payment.orchestrator.create': unitEvent(
      'A payment orchestrator was created.',
      orchestratorPayload,
      orchestratorExample,
    ),
    'business.unit.payment.orchestrator.update': unitEvent(
      'A payment orchestrator was changed.',
      orchestratorPayload,
      orchestratorExample,
    ),
    'business.unit.payment.orchestrator.delete': unitEvent(
      'A payment orchestrator was deleted.',
      orchestratorPayload,
      orchestratorExample,
    ),
  },
})
