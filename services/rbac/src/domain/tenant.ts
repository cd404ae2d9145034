import type { Tenant } from '@payments/contracts/services/rbac/contract'

export interface TenantFacts {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly createdAt: Date
  readonly updatedAt: Date
}

export function presentTenant(tenant: TenantFacts): Tenant {
  return {
    id: tenant.id,
    name: tenant.name,
    status: tenant.status,
    created_at: tenant.createdAt.toISOString(),
    updated_at: tenant.updatedAt.toISOString(),
  }
}
