import { z } from 'zod'
import { contract } from '../../grammar/contract.ts'
import { tenantEvent } from '../../grammar/event.ts'
import { id, instant, permission, prose, tenantParams, text, updateBody, uuid } from '../../grammar/field.ts'
import { nameText, uniqueName } from '../../grammar/name.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { internalRoute, tenantRoute } from '../../grammar/route.ts'
import { administratorProblems } from '../../problems/administrators.ts'
import { ownKeyProblems } from '../../problems/own-key.ts'

export const problems = defineProblems({
  role_not_found: {
    status: 404,
    title: 'Role not found',
    explanation: 'The tenant has no role with this id.',
  },
  role_name_taken: {
    status: 409,
    title: 'Role name already in use',
    explanation:
      'Role names are unique within a tenant; the built-in roles `admin` and `viewer` count. Names that differ only in case, white space or Unicode form (NFKC) are the same name. Choose another name.',
  },
  unknown_permission: {
    status: 422,
    title: 'Unknown permission',
    explanation: '`errors` names each permission that the catalogue does not have. Nothing was changed.',
  },
  too_many_roles: {
    status: 409,
    title: 'Too many custom roles',
    explanation: 'A tenant can have 100 custom roles. Delete unused ones.',
  },
  built_in_role: {
    status: 409,
    title: 'A built-in role cannot be changed or deleted',
    explanation: 'The roles `admin` and `viewer` are the same for every tenant. Create a custom role instead.',
  },
  role_in_use: {
    status: 409,
    title: 'The role is in use',
    explanation:
      '`key_count` is the number of API keys with the role, disabled and expired ones included. `member_count` is the number of users and open user invitations with the role, disabled users included. Replace the roles of the keys and users, and cancel the invitations first.',
    members: z.object({
      key_count: z.int().describe('Number of API keys with the role.'),
      member_count: z.int().describe('Number of users and open user invitations with the role.'),
    }),
  },
  role_being_deleted: {
    status: 409,
    title: 'Another request is deleting the role',
    explanation: 'Read the role after `Retry-After`. If the role still exists, delete it again.',
    retryAfter: true,
  },
  ...ownKeyProblems,
  ...administratorProblems,
  tenant_not_found: {
    status: 404,
    title: 'Tenant not found',
    explanation: 'No tenant has this id.',
  },
})

const nameDescription = 'Name of the role. Unique within the tenant.'
const descriptionText = 'Purpose of the role.'
const permissionsText = 'Permissions that the role grants.'

const role = z
  .object({
    id: uuid.describe('Identifier of the role.'),
    name: z.string().describe(nameDescription),
    description: z.string().describe(descriptionText),
    kind: z.enum(['built_in', 'custom']).describe('Built-in roles cannot be changed.'),
    permissions: z.array(permission).describe(permissionsText),
    created_at: instant.describe('When the role was created.'),
    updated_at: instant.describe('When the role last changed.'),
  })
  .meta({ id: 'Role', description: 'A set of permissions that API keys and users can have.' })

export type Role = z.input<typeof role>

const roleName = uniqueName.meta({ description: nameDescription, examples: ['Cashier', 'Kassa 2', '会計'] })

const roleParams = z.strictObject({ role_id: id.describe('Identifier of the role.') })

/** Names are compared with the catalogue after the shape is validated, so that an unknown one is a 422. */
const permissionList = z
  .array(text(100).meta({ id: 'PermissionName', description: 'Name of a permission.' }))
  .max(200)
  .describe(permissionsText)

const roleEvent = role
  .omit({ kind: true, created_at: true })
  .meta({ id: 'RoleEvent', description: 'Payload of role events.' })

export type RoleEvent = z.input<typeof roleEvent>

export const tenantStatuses = ['active', 'suspended'] as const
export type TenantStatus = (typeof tenantStatuses)[number]
const tenantStatus = z.enum(tenantStatuses)

const tenant = z.object({
  id: uuid,
  name: z.string(),
  status: tenantStatus,
  created_at: instant,
  updated_at: instant,
})

export type Tenant = z.input<typeof tenant>

/** The tenant with its roles, oldest first: built-in roles, then custom roles. */
const tenantWithRoles = tenant.extend({ roles: z.array(role.pick({ id: true, name: true, kind: true })) })

export type TenantWithRoles = z.input<typeof tenantWithRoles>

export const rbac = contract({
  service: 'rbac',
  description: 'Roles, permissions and tenants.',
  problems,
  endpoints: {
    listPermissions: {
      ...tenantRoute('GET', '/v1/rbac/permissions', 'rbac:ReadPermission'),
      summary: 'List the permissions of the platform, by name.',
      query: positionedPageQuery(limitMax),
      replies: {
        200: page(
          z.object({
            name: permission.describe('Name of the permission.'),
            description: z.string().describe('Operations that the permission allows, in words.'),
            operations: z.array(z.string()).describe('Names of the operations that require the permission.'),
          }),
        ),
      },
    },
    listRoles: {
      ...tenantRoute('GET', '/v1/rbac/roles', 'rbac:ReadRole'),
      summary: 'List the roles of the tenant.',
      query: pageQuery,
      replies: { 200: page(role) },
    },
    readRole: {
      ...tenantRoute('GET', '/v1/rbac/roles/{role_id}', 'rbac:ReadRole'),
      summary: 'Read a role.',
      params: roleParams,
      replies: { 200: role },
      problems: ['role_not_found'],
    },
    createRole: {
      ...tenantRoute('POST', '/v1/rbac/roles', 'rbac:CreateRole'),
      readsPermissions: 'all',
      summary: 'Create a custom role.',
      description: 'The role can grant only permissions that the caller has.',
      example: { name: 'Refunds', permissions: ['transaction:ReadTransaction', 'transaction:RefundTransaction'] },
      body: z.strictObject({
        name: roleName,
        description: prose(1000).default('').describe(descriptionText),
        permissions: permissionList,
      }),
      replies: { 201: role },
      location: '/v1/rbac/roles/{id}',
      problems: [
        'unknown_permission',
        'would_exceed_own_permissions',
        'role_name_taken',
        'too_many_roles',
        'tenant_not_found',
      ],
      idempotent: true,
      changesAuthorization: true,
    },
    updateRole: {
      ...tenantRoute('PUT', '/v1/rbac/roles/{role_id}', 'rbac:UpdateRole'),
      readsPermissions: 'all',
      summary: 'Update the given fields of a custom role.',
      description: 'The change applies to the next request of every API key and user that has the role.',
      example: { permissions: ['transaction:ReadTransaction'] },
      params: roleParams,
      body: updateBody(
        z.strictObject({
          name: roleName.optional(),
          description: prose(1000).optional().describe(descriptionText),
          permissions: permissionList.optional(),
        }),
      ),
      replies: { 200: role },
      problems: [
        'role_not_found',
        'built_in_role',
        'unknown_permission',
        'would_exceed_own_permissions',
        'own_key',
        'own_user',
        'last_administrator',
        'role_name_taken',
      ],
      sensitive: true,
      changesAuthorization: true,
    },
    deleteRole: {
      ...tenantRoute('DELETE', '/v1/rbac/roles/{role_id}', 'rbac:DeleteRole'),
      readsPermissions: 'all',
      summary: 'Delete a custom role that no API key, user or user invitation has.',
      params: roleParams,
      replies: { 204: null },
      problems: [
        'role_not_found',
        'built_in_role',
        'would_exceed_own_permissions',
        'role_in_use',
        'role_being_deleted',
      ],
      changesAuthorization: true,
    },
    resolveRoles: {
      ...internalRoute(
        'POST',
        '/internal/tenants/{tenant_id}/resolve-roles',
        'gateway',
        'api-key',
        'identity',
        'payctl',
      ),
      summary: 'Resolve roles, by id or by name, to the permissions they grant.',
      params: tenantParams,
      body: z.strictObject({
        /** Those of two credentials at most. */
        role_ids: z.array(id).max(100).default([]),
        role_names: z.array(text(200)).max(50).default([]),
        /** With `assign`, a role that is being deleted is unknown, so that no API key or user gets the role. */
        purpose: z.enum(['authorize', 'assign']).default('authorize'),
      }),
      replies: {
        200: z.object({
          tenant_status: tenantStatus,
          roles: z.array(z.object({ id: uuid, name: z.string(), permissions: z.array(z.string()) })),
          /** The union over the known roles, sorted. During a rollout, a gateway does not know the newest names. */
          permissions: z.array(z.string()),
          /** The requested ids and names that are not roles of the tenant. */
          unknown: z.array(z.string()),
          /** As in the authorization version. */
          catalogue: z.string(),
        }),
      },
      problems: ['tenant_not_found'],
    },
    createTenant: {
      ...internalRoute('POST', '/internal/tenants', 'payctl'),
      summary: 'Create a tenant with its built-in roles.',
      body: z.strictObject({ name: nameText(200) }),
      replies: {
        201: z.object({ tenant, roles: z.array(z.object({ id: uuid, name: z.string() })) }),
      },
      location: '/internal/tenants/{tenant.id}',
      changesAuthorization: true,
    },
    listTenants: {
      ...internalRoute('GET', '/internal/tenants', 'payctl'),
      summary: 'List the tenants, newest first.',
      query: pageQuery.extend({ status: tenantStatus.optional().describe('Only tenants with this status.') }),
      replies: { 200: page(tenant) },
    },
    readTenant: {
      ...internalRoute('GET', '/internal/tenants/{tenant_id}', 'payctl', 'invite-to-pay', 'identity'),
      summary: 'Read a tenant with the names of its roles.',
      params: tenantParams,
      replies: { 200: tenantWithRoles },
      problems: ['tenant_not_found'],
    },
    readTenantNames: {
      ...internalRoute('POST', '/internal/tenants/names', 'identity'),
      summary: 'Read names and statuses of tenants.',
      description: 'An unknown tenant is missing from the reply.',
      body: z.strictObject({ tenant_ids: z.array(id).max(100) }),
      replies: { 200: z.object({ tenants: z.array(tenant.pick({ id: true, name: true, status: true })) }) },
    },
    suspendTenant: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/suspend', 'payctl'),
      summary: 'Suspend a tenant. The next request with any of its credentials is rejected.',
      params: tenantParams,
      replies: { 200: tenant },
      problems: ['tenant_not_found'],
      changesAuthorization: true,
    },
    resumeTenant: {
      ...internalRoute('POST', '/internal/tenants/{tenant_id}/resume', 'payctl'),
      summary: 'Resume a suspended tenant.',
      params: tenantParams,
      replies: { 200: tenant },
      problems: ['tenant_not_found'],
      changesAuthorization: true,
    },
  },
  events: {
    'rbac.roles.create': tenantEvent('A role was created.', roleEvent),
    'rbac.roles.update': tenantEvent('A role was changed.', roleEvent),
    'rbac.roles.delete': tenantEvent(
      'A role was deleted.',
      z.object({
        id: uuid.describe('Identifier of the role.'),
        name: z.string().describe(nameDescription),
        deleted_at: instant.describe('When the role was deleted.'),
      }),
    ),
  },
})
