import type { OperationName } from '../session/api.ts'

/** The pages in the order of the navigation. A page is shown to who may call its operation. */
interface NavigationItem {
  readonly to: string
  readonly label: string
  readonly operation?: OperationName
}

export interface NavigationGroup {
  readonly label: string
  readonly items: readonly NavigationItem[]
}

export const navigation: readonly NavigationGroup[] = [
  { label: 'Overview', items: [{ to: '/', label: 'Home' }] },
  {
    label: 'Payments',
    items: [
      { to: '/transactions', label: 'Transactions', operation: 'listTransactions' },
      { to: '/units', label: 'Business units', operation: 'listBusinessUnits' },
    ],
  },
  {
    label: 'Access',
    items: [
      { to: '/keys', label: 'API keys', operation: 'listKeys' },
      { to: '/roles', label: 'Roles', operation: 'listRoles' },
      { to: '/users', label: 'Users', operation: 'listUsers' },
    ],
  },
  {
    label: 'Webhooks',
    items: [
      { to: '/subscriptions', label: 'Subscriptions', operation: 'listSubscriptions' },
      { to: '/deliveries', label: 'Deliveries', operation: 'listTenantDeliveries' },
    ],
  },
  {
    label: 'Tenant',
    items: [
      { to: '/audit', label: 'Audit', operation: 'listRecords' },
      { to: '/plan', label: 'Plans and billing' },
      { to: '/account', label: 'Account' },
    ],
  },
]
