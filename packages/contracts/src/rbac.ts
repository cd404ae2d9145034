import { z } from 'zod'
import { contract } from './contract.ts'
import { id, instant, permission, text, uuid } from './field.ts'
import { page, pageQuery } from './page.ts'
import { defineProblems } from './problem.ts'

export const problems = defineProblems({
  role_not_found: {
    status: 404,
    title: 'There is no such role',
    explanation: 'The tenant has no role with this id.',
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
      summary: 'List every permission the platform defines.',
      replies: {
        200: z.object({
          data: z.array(z.object({ name: permission, description: z.string() })),
          next_cursor: z.null(),
        }),
      },
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
      params: z.strictObject({ role_id: id }),
      replies: { 200: role },
      problems: ['role_not_found'],
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
  },
  events: {},
})
