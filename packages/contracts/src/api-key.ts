import { z } from 'zod'
import { cidr } from './cidr.ts'
import { contract } from './contract.ts'
import { authorizationEpochEndpoint } from './epoch.ts'
import { id, instant, instantInput, permission, prose, text, uuid } from './field.ts'
import {
  reencryptSecretsEndpoint,
  repepperKeysEndpoint,
  rewrapDataKeysEndpoint,
  rotationProblems,
} from './key-rotation.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  key_not_found: {
    status: 404,
    title: 'There is no such API key',
    explanation: 'The tenant has no API key with this id. It may have been deleted.',
  },
  unknown_role: {
    status: 422,
    title: 'A role does not exist',
    explanation: '`errors` names each role id that is not a role of the tenant. Nothing was changed.',
  },
  own_key: {
    status: 409,
    title: 'A key cannot delete, disable, strip or shut out itself',
    explanation:
      'A key cannot delete or disable itself, let itself expire, take permissions from itself, or narrow the addresses it may be used from. Use another credential, so that a tenant does not lock itself out by mistake.',
  },
  too_many_keys: {
    status: 409,
    title: 'The tenant has as many API keys as it may have',
    explanation: 'A tenant may have 1000 API keys. Delete those that are no longer used.',
  },
  expiry_in_the_past: {
    status: 422,
    title: 'The key would have expired before it was created',
    explanation: 'Send an `expires_at` that lies in the future, or null for a key that does not expire.',
  },
  value_replaced: {
    status: 409,
    title: 'The value that this request made has been replaced',
    explanation:
      'The Idempotency-Key stands for a value that is no more: the key was rotated since. Nothing was changed. Reveal the key to see its present value.',
  },
  tenant_not_found: {
    status: 404,
    title: 'There is no such tenant',
    explanation: 'No tenant has this id.',
  },
  ...rotationProblems,
})

const key = z.object({
  id: uuid,
  name: z.string(),
  description: z.string(),
  /** Masked but for the reply to a creation and a reveal. */
  value: z.string(),
  enabled: z.boolean(),
  role_ids: z.array(uuid),
  environment: z.enum(['dev', 'qa', 'prod']),
  expires_at: instant.nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  created_at: instant,
  created_by: z.string(),
  updated_at: instant,
  last_used_at: instant.nullable(),
})

export type Key = z.input<typeof key>

const params = z.strictObject({ api_key_id: id })

/** null: from anywhere. */
const allowedCidrs = z
  .array(cidr)
  .min(1)
  .max(50)
  .transform((cidrs) => [...new Set(cidrs)])
  .nullable()

/** Seven days. */
const graceSecondsMax = 604_800

const windowSeconds = z.int().min(1).max(3600)

/** What the gateway learns of the key behind a handle. Whether it may be used now is the gateway's decision. */
const identity = z.object({
  api_key_id: uuid,
  tenant_id: uuid,
  /** Which of the key's values the handle is of: previous, the one before the last rotation. */
  value: z.enum(['current', 'previous']),
  enabled: z.boolean(),
  /** When this value ends: with its key, or before it with the grace period of a previous one. */
  expires_at: instant.nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  role_ids: z.array(uuid),
})

export type KeyIdentity = z.output<typeof identity>

const explainedPermission = z.object({
  permission,
  granted_by: z.array(z.object({ role_id: uuid, role_name: z.string() })),
})

export type ExplainedPermission = z.input<typeof explainedPermission>

const keyEvent = z.object({
  id: uuid,
  name: z.string(),
  description: z.string(),
  enabled: z.boolean(),
  role_ids: z.array(uuid),
  expires_at: instant.nullable(),
  allowed_cidrs: z.array(z.string()).nullable(),
  updated_at: instant,
})

export type KeyEvent = z.input<typeof keyEvent>

export const apiKey = contract({
  service: 'api-key',
  problems,
  endpoints: {
    createKey: {
      method: 'POST',
      path: '/v1/api-key/keys',
      audience: 'tenant',
      permission: 'apikey:CreateKey',
      summary: 'Create an API key. It has no roles yet, so no power yet. The value is shown in full, this once.',
      body: z.strictObject({
        name: text(200),
        description: prose(1000).default(''),
        expires_at: instantInput.nullable().default(null),
        allowed_cidrs: allowedCidrs.default(null),
      }),
      replies: { 201: key },
      /** key_not_found, value_replaced: an Idempotency-Key is replayed after the key it made was deleted or rotated. */
      problems: ['key_not_found', 'value_replaced', 'too_many_keys', 'expiry_in_the_past'],
      idempotent: true,
    },
    listKeys: {
      method: 'GET',
      path: '/v1/api-key/keys',
      audience: 'tenant',
      permission: 'apikey:ReadKey',
      summary: 'List the API keys of the tenant, values masked.',
      query: pageQuery,
      replies: { 200: page(key) },
    },
    readKey: {
      method: 'GET',
      path: '/v1/api-key/keys/{api_key_id}',
      audience: 'tenant',
      permission: 'apikey:ReadKey',
      summary: 'Read an API key, value masked.',
      params,
      replies: { 200: key },
      problems: ['key_not_found'],
    },
    revealKey: {
      method: 'GET',
      path: '/v1/api-key/keys/{api_key_id}/reveal',
      audience: 'tenant',
      permission: 'apikey:RevealKey',
      summary: 'Read an API key including its full value.',
      params,
      replies: { 200: key },
      problems: ['key_not_found', 'would_exceed_own_permissions', 'rate_limited'],
      reveals: true,
    },
    updateKey: {
      method: 'PATCH',
      path: '/v1/api-key/keys/{api_key_id}',
      audience: 'tenant',
      permission: 'apikey:UpdateKey',
      summary: 'Change the name, description, expiry, allowed addresses or enabled state of an API key.',
      params,
      body: z
        .strictObject({
          name: text(200).optional(),
          description: prose(1000).optional(),
          enabled: z.boolean().optional(),
          expires_at: instantInput.nullable().optional(),
          allowed_cidrs: allowedCidrs.optional(),
        })
        .refine((body) => Object.keys(body).length > 0, 'must change at least one field'),
      replies: { 200: key },
      problems: ['key_not_found', 'own_key', 'would_exceed_own_permissions'],
    },
    assignRoles: {
      method: 'PUT',
      path: '/v1/api-key/keys/{api_key_id}/roles',
      audience: 'tenant',
      permission: 'apikey:AssignRoles',
      summary: 'Replace the whole set of roles of an API key.',
      params,
      body: z.strictObject({ role_ids: z.array(id).max(50) }),
      replies: { 200: key },
      problems: ['key_not_found', 'unknown_role', 'own_key', 'would_exceed_own_permissions'],
    },
    rotateKey: {
      method: 'POST',
      path: '/v1/api-key/keys/{api_key_id}/rotate',
      audience: 'tenant',
      permission: 'apikey:RotateKey',
      summary:
        'Give an API key a new value, shown in full, this once. The former one works for the grace period; one from an earlier rotation ends now.',
      params,
      body: z.strictObject({ grace_period_seconds: z.int().min(0).max(graceSecondsMax).default(0) }),
      replies: { 200: key },
      problems: ['key_not_found', 'value_replaced', 'would_exceed_own_permissions'],
      idempotent: true,
    },
    readKeyPermissions: {
      method: 'GET',
      path: '/v1/api-key/keys/{api_key_id}/permissions',
      audience: 'tenant',
      permission: 'apikey:ReadKey',
      summary:
        'List the permissions an API key holds through its roles, by name; with `explain`, which roles grant each.',
      params,
      query: positionedPageQuery(limitMax).extend({ explain: z.enum(['true', 'false']).default('false') }),
      replies: {
        200: z.object({
          data: z.union([z.array(permission), z.array(explainedPermission)]),
          next_cursor: z.string().nullable(),
        }),
      },
      problems: ['key_not_found'],
    },
    deleteKey: {
      method: 'DELETE',
      path: '/v1/api-key/keys/{api_key_id}',
      audience: 'tenant',
      permission: 'apikey:DeleteKey',
      summary: 'Delete an API key: its roles are detached, its secret destroyed, the very next request refused.',
      params,
      replies: { 204: null },
      problems: ['key_not_found', 'own_key'],
    },
    /** The gateway's look-up. `handle` is SHA-256 of the value: the value itself never leaves the gateway. */
    identifyKey: {
      method: 'POST',
      path: '/internal/keys/identify',
      audience: 'internal',
      summary: 'Find the API key behind a look-up handle; null where there is none.',
      body: z.strictObject({ handle: z.string().regex(/^[0-9a-f]{64}$/) }),
      replies: { 200: z.object({ key: identity.nullable() }) },
    },
    /** last_used_at, in batches: it is written at most once a minute for each key. */
    recordKeyUses: {
      method: 'POST',
      path: '/internal/keys/uses',
      audience: 'internal',
      summary: 'Record when API keys were used.',
      body: z.strictObject({
        uses: z.array(z.strictObject({ api_key_id: id, tenant_id: id, used_at: instantInput })).max(1000),
      }),
      /** How many keys show it. */
      replies: { 200: z.object({ recorded: z.int() }) },
    },
    /** Onboarding: the first key of a tenant, with its roles in one step. */
    issueFirstKey: {
      method: 'POST',
      path: '/internal/tenants/{tenant_id}/keys',
      audience: 'internal',
      summary: 'Issue the first API key of a tenant.',
      params: z.strictObject({ tenant_id: id }),
      body: z.strictObject({ name: text(200), description: prose(1000), role_ids: z.array(id).min(1).max(50) }),
      replies: { 201: key },
      problems: ['tenant_not_found', 'unknown_role', 'too_many_keys'],
    },
    /** rbac asks before it deletes a role. */
    countKeysWithRole: {
      method: 'GET',
      path: '/internal/tenants/{tenant_id}/roles/{role_id}/keys',
      audience: 'internal',
      summary: 'Count the API keys that have a role, disabled and expired ones included.',
      params: z.strictObject({ tenant_id: id, role_id: id }),
      replies: { 200: z.object({ count: z.int() }) },
    },
    /** What the replicas of the gateway count together: so often an address failed to authenticate in its present window. */
    countFailedAuthentications: {
      method: 'POST',
      path: '/internal/failed-authentications',
      audience: 'internal',
      summary: 'Add to the failed authentications of an address; the first of a window begins it.',
      body: z.strictObject({ address: text(64), failures: z.int().min(1).max(1000), window_seconds: windowSeconds }),
      replies: { 200: z.object({ failures: z.int(), ends_in_seconds: z.number() }) },
    },
    /** Likewise the reveals of an actor, over every service. */
    takeReveal: {
      method: 'POST',
      path: '/internal/reveals',
      audience: 'internal',
      summary: 'Count one more reveal of an actor, unless there were as many in the window as there may be.',
      body: z.strictObject({
        tenant_id: id,
        actor: text(300),
        reveals_max: z.int().min(1).max(100),
        window_seconds: windowSeconds,
      }),
      /** 0: counted. Else after how many seconds there is room for one. */
      replies: { 200: z.object({ retry_after_seconds: z.int() }) },
    },
    readAuthorizationEpoch: authorizationEpochEndpoint,
    rewrapDataKeys: rewrapDataKeysEndpoint,
    reencryptSecrets: reencryptSecretsEndpoint,
    repepperKeys: repepperKeysEndpoint,
  },
  events: {
    'api-key.keys.create': { description: 'An API key was created.', scope: 'tenant', payload: keyEvent },
    'api-key.keys.update': {
      description: 'An API key was changed, enabled, disabled or rotated.',
      scope: 'tenant',
      payload: keyEvent,
    },
    'api-key.keys.delete': {
      description: 'An API key was deleted.',
      scope: 'tenant',
      payload: z.object({ id: uuid, name: z.string(), deleted_at: instant }),
    },
    'api-key.keys.assign-roles': {
      description: 'The roles of an API key were replaced.',
      scope: 'tenant',
      payload: keyEvent,
    },
    'api-key.keys.reveal': {
      description: 'The value of an API key was revealed.',
      scope: 'tenant',
      payload: z.object({ id: uuid, name: z.string(), revealed_by: z.string(), revealed_at: instant }),
    },
  },
})
