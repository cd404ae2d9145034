import { z } from 'zod'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint, rotatePepperEndpoint } from '../../endpoints/key-rotation.ts'
import { cidr } from '../../grammar/cidr.ts'
import { contract } from '../../grammar/contract.ts'
import { tenantEvent } from '../../grammar/event.ts'
import {
  id,
  instant,
  instantInput,
  permission,
  prose,
  tenantParams,
  text,
  updateBody,
  uuid,
} from '../../grammar/field.ts'
import { nameText } from '../../grammar/name.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { authenticatedRoute, internalRoute, tenantRoute } from '../../grammar/route.ts'
import { ownGraceSecondsMin } from '../../problems/own-key-rotation.ts'
import { problems } from './problems.ts'

export { problems }

const keyName = 'Name of the API key.'
const descriptionText = 'Purpose of the API key.'
const expiryText = 'When the API key expires. Null means never.'
const cidrsText = 'CIDR blocks from which the API key may be used. Null means anywhere.'
const rolesText = 'Roles of the API key. They decide its permissions.'

const key = z
  .object({
    id: uuid.describe('Identifier of the API key.'),
    name: z.string().describe(keyName),
    description: z.string().describe(descriptionText),
    value: z.string().describe('The credential. Full on creation, rotation and reveal; masked otherwise.'),
    enabled: z.boolean().describe('Whether the API key is accepted.'),
    role_ids: z.array(uuid).describe(rolesText),
    environment: z.enum(['dev', 'qa', 'prod']).describe('Environment that accepts the API key.'),
    expires_at: instant.nullable().describe(expiryText),
    allowed_cidrs: z.array(z.string()).nullable().describe(cidrsText),
    created_at: instant.describe('When the API key was created.'),
    created_by: z.string().describe('Actor that created the API key.'),
    updated_at: instant.describe('When the API key last changed.'),
    previous_value_expires_at: instant.nullable().describe('When the previous value ends, if it works.'),
    last_used_at: instant
      .nullable()
      .describe('When the API key was last used, to the minute. Null before its first use.'),
  })
  .meta({ id: 'ApiKey', description: 'A credential for system-to-system calls.' })

export type Key = z.input<typeof key>

const ownKey = key
  .extend({
    tenant_id: uuid.describe('Tenant of the API key.'),
    roles: z
      .array(
        z.object({
          id: uuid.describe('Identifier of the role.'),
          name: z.string().describe('Name of the role.'),
        }),
      )
      .describe('Roles of the API key, by name.'),
    permissions: z.array(permission).describe('Permissions that the roles grant, by name.'),
  })
  .meta({ id: 'OwnApiKey', description: 'The API key of the request.' })

export type OwnKey = z.input<typeof ownKey>

const path = '/v1/api-key/keys'
const onePath = `${path}/{api_key_id}` as const
const params = z.strictObject({ api_key_id: id.describe('Identifier of the API key.') })

const allowedCidrs = z
  .array(cidr)
  .min(1)
  .max(50)
  .transform((cidrs) => [...new Set(cidrs)])
  .nullable()
  .describe(cidrsText)

/** Seven days. */
const graceSecondsMax = 604_800

const windowSeconds = z.int().min(1).max(3600)

/** The properties of an API key that the gateway needs. The gateway decides whether the key is accepted now. */
const identity = z.object({
  api_key_id: uuid,
  tenant_id: uuid,
  /** `previous` is the value before the last rotation. */
  value: z.enum(['current', 'previous']),
  enabled: z.boolean(),
  /** When this value expires: with its API key, or earlier at the end of a grace period. */
  expires_at: instant.nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  role_ids: z.array(uuid),
})

export type KeyIdentity = z.output<typeof identity>

const explainedPermission = z
  .object({
    permission: permission.describe('The permission.'),
    granted_by: z
      .array(
        z.object({
          role_id: uuid.describe('Identifier of the role.'),
          role_name: z.string().describe('Name of the role.'),
        }),
      )
      .describe('Roles that grant the permission.'),
  })
  .meta({ id: 'ExplainedPermission', description: 'A permission and the roles that grant it.' })

export type ExplainedPermission = z.input<typeof explainedPermission>

const keyEvent = key
  .omit({ value: true, environment: true, created_at: true, created_by: true })
  .omit({ previous_value_expires_at: true, last_used_at: true })
  .meta({ id: 'ApiKeyEvent', description: 'Payload of API key events. The value is never part of it.' })

export type KeyEvent = z.input<typeof keyEvent>

export const apiKey = contract({
  service: 'api-key',
  description: 'API keys and their roles.',
  problems,
  endpoints: {
    createKey: {
      ...tenantRoute('POST', path, 'apikey:CreateKey'),
      summary: 'Create an API key.',
      description:
        'The response shows the full value, only this once. The API key has no roles and therefore no permissions until roles are assigned.',
      example: { name: 'Checkout backend', description: 'Creates and captures payments' },
      body: z.strictObject({
        name: nameText(200).describe(keyName),
        description: prose(1000).default('').describe(descriptionText),
        expires_at: instantInput.nullable().default(null).describe(expiryText),
        allowed_cidrs: allowedCidrs.default(null),
      }),
      replies: { 201: key },
      location: `${path}/{id}`,
      /** key_not_found, value_replaced: the API key was deleted or rotated before the Idempotency-Key was replayed. */
      problems: ['key_not_found', 'value_replaced', 'too_many_keys', 'expiry_in_the_past'],
      idempotent: true,
      changesAuthorization: true,
      sensitive: true,
    },
    listKeys: {
      ...tenantRoute('GET', path, 'apikey:ReadKey'),
      summary: 'List the API keys of the tenant with masked values.',
      description: 'Returns the API keys that match every given filter.',
      query: pageQuery.extend({
        name: nameText(200).optional().describe('The whole name, case-sensitive.'),
        search: text(200).optional().describe('A part of the name in any case, or the start of the identifier.'),
        role_id: id.optional().describe('A role of the API key.'),
        enabled: z.enum(['true', 'false']).optional().describe('Whether the API key is accepted.'),
        unused_since: instantInput
          .optional()
          .describe('Last used before this instant, or never used and created before it.'),
        expires_before: instantInput.optional().describe('Expires before this instant, or has expired.'),
      }),
      replies: { 200: page(key) },
    },
    readOwnKey: {
      ...authenticatedRoute('GET', `${path}/self`),
      readsPermissions: 'all',
      summary: 'Read the API key of the request, with its tenant, roles and permissions.',
      replies: { 200: ownKey },
      problems: ['not_an_api_key', 'key_not_found'],
    },
    readKey: {
      ...tenantRoute('GET', onePath, 'apikey:ReadKey'),
      summary: 'Read an API key with its masked value.',
      params,
      replies: { 200: key },
      problems: ['key_not_found'],
    },
    revealKey: {
      ...tenantRoute('GET', `${onePath}/reveal`, 'apikey:RevealKey'),
      readsPermissions: 'all',
      summary: 'Reveal the full value of an API key.',
      params,
      replies: { 200: key },
      problems: ['key_not_found', 'would_exceed_own_permissions'],
      reveals: true,
      sensitive: true,
    },
    updateKey: {
      ...tenantRoute('PATCH', onePath, 'apikey:UpdateKey'),
      readsPermissions: 'all',
      summary: 'Update the given fields of an API key.',
      description:
        'A change of `enabled`, `expires_at` or `allowed_cidrs` requires that the caller holds the permissions of the API key.',
      example: { enabled: false },
      params,
      body: updateBody(
        z.strictObject({
          name: nameText(200).optional().describe(keyName),
          description: prose(1000).optional().describe(descriptionText),
          enabled: z.boolean().optional().describe('Whether the API key is accepted.'),
          expires_at: instantInput.nullable().optional().describe(expiryText),
          allowed_cidrs: allowedCidrs.optional(),
        }),
      ),
      replies: { 200: key },
      problems: ['key_not_found', 'own_key', 'would_exceed_own_permissions'],
      changesAuthorization: true,
      sensitive: true,
    },
    assignRoles: {
      ...tenantRoute('PUT', `${onePath}/roles`, 'apikey:AssignRoles'),
      readsPermissions: 'all',
      summary: 'Replace all roles of an API key.',
      description: 'The caller must hold the permissions of the current roles and of the new ones.',
      example: { role_ids: ['0191e4a2-0000-7d11-8c55-91b6e0a7c010'] },
      params,
      body: z.strictObject({ role_ids: z.array(id).max(50).describe('The new set of roles.') }),
      replies: { 200: key },
      problems: ['key_not_found', 'unknown_role', 'own_key', 'would_exceed_own_permissions'],
      changesAuthorization: true,
      sensitive: true,
    },
    rotateKey: {
      ...tenantRoute('POST', `${onePath}/rotate`, 'apikey:RotateKey'),
      readsPermissions: 'all',
      summary: 'Rotate the value of an API key.',
      description:
        'The response shows the new value. The previous value is accepted during the grace period. A value from an earlier rotation ends now. After a lost response, repeat the request with the same Idempotency-Key.',
      example: { grace_period_seconds: 3600 },
      params,
      body: z.strictObject({
        grace_period_seconds: z
          .int()
          .min(0)
          .max(graceSecondsMax)
          .optional()
          .describe(
            `Seconds during which the previous value is still accepted. Default: 0. For the API key of the request, default and least value are ${ownGraceSecondsMin}.`,
          ),
      }),
      replies: { 200: key },
      problems: ['key_not_found', 'value_replaced', 'grace_period_too_short', 'would_exceed_own_permissions'],
      idempotent: true,
      changesAuthorization: true,
      sensitive: true,
    },
    readKeyPermissions: {
      ...tenantRoute('GET', `${onePath}/permissions`, 'apikey:ReadKey'),
      summary: 'List the permissions of an API key, by name.',
      params,
      query: positionedPageQuery(limitMax).extend({
        explain: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Whether each permission names the roles that grant it.'),
      }),
      replies: {
        200: z.object({
          data: z
            .union([z.array(permission), z.array(explainedPermission)])
            .describe('Names, or with `explain` the names and the roles that grant them.'),
          next_cursor: z.string().nullable().describe('`cursor` of the next page. Null on the last page.'),
        }),
      },
      problems: ['key_not_found'],
    },
    deleteKey: {
      ...tenantRoute('DELETE', onePath, 'apikey:DeleteKey'),
      readsPermissions: 'all',
      summary: 'Delete an API key. The next request with its value is rejected.',
      description: 'The caller must hold the permissions of the API key.',
      params,
      replies: { 204: null },
      problems: ['key_not_found', 'own_key', 'would_exceed_own_permissions'],
      changesAuthorization: true,
    },
    identifyKey: {
      ...internalRoute('POST', '/internal/keys/identify', 'gateway'),
      summary: 'Find an API key by the hash of its value.',
      body: z.strictObject({ key_hash: z.string().regex(/^[0-9a-f]{64}$/) }),
      replies: { 200: z.object({ key: identity.nullable() }) },
    },
    /** last_used_at, in batches: it is written at most once a minute for each key. */
    recordKeyUses: {
      ...internalRoute('POST', '/internal/keys/uses', 'gateway'),
      summary: 'Record when API keys were used.',
      body: z.strictObject({
        uses: z.array(z.strictObject({ api_key_id: id, tenant_id: id, used_at: instantInput })).max(1000),
      }),
      replies: { 200: z.object({ recorded: z.int() }) },
    },
    issueKey: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/keys', 'payctl'),
      summary: 'Issue an API key with a role to a tenant without a usable API key.',
      description:
        'For the onboarding of a tenant, and for a tenant that lost its last usable API key. The API key is enabled, does not expire, and has the role at once. The response shows the full value, only this once. The tenant must be active.',
      params: tenantParams,
      body: z.strictObject({
        name: nameText(200).describe(keyName),
        description: prose(1000).default('').describe(descriptionText),
        role_name: text(200).describe('Name of a role of the tenant.'),
      }),
      replies: { 201: key },
      location: `${path}/{id}`,
      problems: ['tenant_not_found', 'tenant_suspended', 'unknown_role', 'tenant_has_key', 'too_many_keys'],
      changesAuthorization: true,
    },
    countKeys: {
      ...internalRoute('GET', '/internal/tenants/{tenant_id}/keys', 'payctl'),
      summary: 'Count the API keys of a tenant.',
      params: tenantParams,
      /** `usable` keys are enabled, have not expired and have a role. */
      replies: { 200: z.object({ total: z.int(), usable: z.int() }) },
    },
    countKeysWithRole: {
      ...internalRoute('GET', '/internal/tenants/{tenant_id}/roles/{role_id}/keys', 'rbac'),
      summary: 'Count the API keys that have a role, disabled and expired ones included.',
      params: tenantParams.extend({ role_id: id }),
      replies: { 200: z.object({ count: z.int() }) },
    },
    /** rbac calls it before an API key takes permissions from a role, which may be its own. */
    readKeyRoles: {
      ...internalRoute('GET', '/internal/tenants/{tenant_id}/keys/{api_key_id}/roles', 'rbac', 'identity'),
      summary: 'Read the name and the role ids of an API key. Null and empty for an unknown key.',
      params: tenantParams.extend({ api_key_id: id }),
      replies: { 200: z.object({ name: z.string().nullable(), role_ids: z.array(uuid) }) },
    },
    /** A counter that all gateway replicas share: failed authentications per address and time window. */
    countFailedAuthentications: {
      ...internalRoute('POST', '/internal/failed-authentications', 'gateway'),
      summary: 'Add to the failed authentications of an address.',
      body: z.strictObject({ address: text(64), failures: z.int().min(1).max(1000), window_seconds: windowSeconds }),
      replies: { 200: z.object({ failures: z.int(), ends_in_seconds: z.number() }) },
    },
    /** A counter that all gateway replicas share: reveals per actor, over every service. */
    takeReveal: {
      ...internalRoute('POST', '/internal/reveals', 'gateway'),
      summary: 'Count a reveal of an actor, unless the limit of the time window is reached.',
      body: z.strictObject({
        tenant_id: id,
        actor: text(300),
        reveals_max: z.int().min(1).max(100),
        window_seconds: windowSeconds,
      }),
      /** 0 when the reveal was counted, otherwise the seconds until the next one is allowed. */
      replies: { 200: z.object({ retry_after_seconds: z.int() }) },
    },
    rewrapDataKeys: rewrapDataKeysEndpoint,
    reencryptSecrets: reencryptSecretsEndpoint,
    rotatePepper: rotatePepperEndpoint,
  },
  events: {
    'api-key.keys.create': tenantEvent('An API key was created.', keyEvent),
    'api-key.keys.update': tenantEvent('An API key was changed, enabled, disabled or rotated.', keyEvent),
    'api-key.keys.delete': tenantEvent(
      'An API key was deleted.',
      z.object({
        id: uuid.describe('Identifier of the API key.'),
        name: z.string().describe(keyName),
        deleted_at: instant.describe('When the API key was deleted.'),
      }),
    ),
    'api-key.keys.assign-roles': tenantEvent('The roles of an API key were replaced.', keyEvent),
    'api-key.keys.reveal': tenantEvent(
      'The value of an API key was revealed.',
      z.object({
        id: uuid.describe('Identifier of the API key.'),
        name: z.string().describe(keyName),
        revealed_by: z.string().describe('Actor that revealed the value.'),
        revealed_at: instant.describe('When the value was revealed.'),
      }),
    ),
  },
})
