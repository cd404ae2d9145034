import { z } from 'zod'
import { contract } from './contract.ts'
import { authorizationEpochEndpoint } from './epoch.ts'
import { id, instant, permission, prose, text, uuid } from './field.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  role_not_found: {
    status: 404,
    title: 'There is no such role',
    explanation: 'The tenant has no role with this id.',
  },
  role_name_taken: {
    status: 409,
    title: 'Another role of the tenant has this name',
    explanation: 'Names of roles are unique within a tenant, `admin` and `viewer` included. Choose another name.',
  },
  unknown_permission: {
    status: 422,
    title: 'A permission does not exist',
    explanation: '`errors` names each one that is not in the list of permissions. Nothing was changed.',
  },
  too_many_roles: {
    status: 409,
    title: 'The tenant has as many custom roles as it may have',
    explanation: 'A tenant may have 100 custom roles. Delete those that are no longer used.',
  },
  built_in_role: {
    status: 409,
    title: 'A built-in role cannot be changed or deleted',
    explanation: 'Every tenant has `admin` and `viewer` as they are. Create a custom role instead.',
  },
  role_in_use: {
    status: 409,
    title: 'The role is still attached to an API key',
    explanation: '`key_count` says to how many, disabled and expired ones included. Replace their roles first.',
  },
  role_being_deleted: {
    status: 409,
    title: 'Another request is deleting the role',
    explanation: 'Wait as long as `Retry-After` says and read the role: it is gone, or it can be deleted again.',
  },
  tenant_not_found: {
    status: 404,
    title: 'There is no such tenant',
    explanation: 'No tenant has this id.',
  },
})

const role = z.object({
  id: uuid,
  name: z.string(),
  description: z.string(),
  kind: z.enum(['built_in', 'custom']),
  permissions: z.array(permission),
  created_at: instant,
  updated_at: instant,
})

export type Role = z.input<typeof role>

const roleParams = z.strictObject({ role_id: id })

/** Each of the catalogue; whether it is, is judged after the shape, so that an unknown one is a 422 that names it. */
const permissionList = z.array(text(100)).max(200)

const roleEvent = role.omit({ kind: true, created_at: true })

export type RoleEvent = z.input<typeof roleEvent>

const tenant = z.object({
  id: uuid,
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  created_at: instant,
  updated_at: instant,
})

export type Tenant = z.input<typeof tenant>

const tenantParams = z.strictObject({ tenant_id: id })

export const rbac = contract({
  service: 'rbac',
  problems,
  endpoints: {
    listPermissions: {
      method: 'GET',
      path: '/v1/rbac/permissions',
      audience: 'tenant',
      permission: 'rbac:ReadPermission',
      summary: 'List every permission the platform defines, by name.',
      query: positionedPageQuery(limitMax),
      replies: { 200: page(z.object({ name: permission, description: z.string() })) },
    },
    listRoles: {
      method: 'GET',
      path: '/v1/rbac/roles',
      audience: 'tenant',
      permission: 'rbac:ReadRole',
      summary: 'List the roles of the tenant.',
      query: pageQuery,
      replies: { 200: page(role) },
    },
    readRole: {
      method: 'GET',
      path: '/v1/rbac/roles/{role_id}',
      audience: 'tenant',
      permission: 'rbac:ReadRole',
      summary: 'Read a role.',
      params: roleParams,
      replies: { 200: role },
      problems: ['role_not_found'],
    },
    createRole: {
      method: 'POST',
      path: '/v1/rbac/roles',
      audience: 'tenant',
      permission: 'rbac:CreateRole',
      summary: 'Create a custom role, which grants no more than the caller holds.',
      body: z.strictObject({ name: text(200), description: prose(1000).default(''), permissions: permissionList }),
      replies: { 201: role },
      problems: [
        'unknown_permission',
        'would_exceed_own_permissions',
        'role_name_taken',
        'too_many_roles',
        'tenant_not_found',
      ],
      idempotent: true,
    },
    updateRole: {
      method: 'PUT',
      path: '/v1/rbac/roles/{role_id}',
      audience: 'tenant',
      permission: 'rbac:UpdateRole',
      summary: 'Replace the given fields of a custom role. Binds the next request of every key and token that has it.',
      params: roleParams,
      body: z
        .strictObject({
          name: text(200).optional(),
          description: prose(1000).optional(),
          permissions: permissionList.optional(),
        })
        .refine((body) => Object.keys(body).length > 0, 'must change at least one field'),
      replies: { 200: role },
      problems: [
        'role_not_found',
        'built_in_role',
        'unknown_permission',
        'would_exceed_own_permissions',
        'role_name_taken',
      ],
    },
    deleteRole: {
      method: 'DELETE',
      path: '/v1/rbac/roles/{role_id}',
      audience: 'tenant',
      permission: 'rbac:DeleteRole',
      summary: 'Delete a custom role that no API key has.',
      params: roleParams,
      replies: { 204: null },
      problems: [
        'role_not_found',
        'built_in_role',
        'would_exceed_own_permissions',
        'role_in_use',
        'role_being_deleted',
      ],
    },
    /** What a set of roles grants now, and whether the tenant may act at all. */
    resolveRoles: {
      method: 'POST',
      path: '/internal/tenants/{tenant_id}/resolve-roles',
      audience: 'internal',
      summary: 'Resolve roles, by id or by name, to the permissions they grant.',
      params: tenantParams,
      body: z.strictObject({
        role_ids: z.array(id).max(50).default([]),
        role_names: z.array(text(200)).max(50).default([]),
        /** assign: a role that is being deleted is unknown, so that it is given to nobody. */
        purpose: z.enum(['authorize', 'assign']).default('authorize'),
      }),
      replies: {
        200: z.object({
          tenant_status: z.enum(['active', 'suspended']),
          roles: z.array(z.object({ id: uuid, name: z.string(), permissions: z.array(permission) })),
          /** The union over the roles found, sorted. */
          permissions: z.array(permission),
          /** Asked for and not roles of the tenant. */
          unknown: z.array(z.string()),
        }),
      },
      problems: ['tenant_not_found'],
    },
    createTenant: {
      method: 'POST',
      path: '/internal/tenants',
      audience: 'internal',
      summary: 'Onboard a tenant with its built-in roles.',
      body: z.strictObject({ name: text(200) }),
      replies: {
        201: z.object({ tenant, roles: z.array(z.object({ id: uuid, name: z.string() })) }),
      },
    },
    readTenant: {
      method: 'GET',
      path: '/internal/tenants/{tenant_id}',
      audience: 'internal',
      summary: 'Read a tenant.',
      params: tenantParams,
      replies: { 200: tenant },
      problems: ['tenant_not_found'],
    },
    suspendTenant: {
      method: 'POST',
      path: '/internal/tenants/{tenant_id}/suspend',
      audience: 'internal',
      summary: 'Suspend a tenant: each of its credentials is refused from the next request on.',
      params: tenantParams,
      replies: { 200: tenant },
      problems: ['tenant_not_found'],
    },
    resumeTenant: {
      method: 'POST',
      path: '/internal/tenants/{tenant_id}/resume',
      audience: 'internal',
      summary: 'Lift the suspension of a tenant.',
      params: tenantParams,
      replies: { 200: tenant },
      problems: ['tenant_not_found'],
    },
    readAuthorizationEpoch: authorizationEpochEndpoint,
  },
  events: {
    'rbac.roles.create': { description: 'A role was created.', scope: 'tenant', payload: roleEvent },
    'rbac.roles.update': { description: 'A role was changed.', scope: 'tenant', payload: roleEvent },
    'rbac.roles.delete': {
      description: 'A role was deleted.',
      scope: 'tenant',
      payload: z.object({ id: uuid, name: z.string(), deleted_at: instant }),
    },
  },
})
