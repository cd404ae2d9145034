import type { OperationName } from '../session/api.ts'

/** The pages in the order of the navigation. A page is shown to who may call its operation. */
export interface NavigationItem {
  readonly to: string
  readonly label: string
  readonly operation?: OperationName
  /** The operation exists in development only. */
  readonly isDevelopmentOnly?: boolean
}

export interface NavigationGroup {
  /** Without a label, the group has no heading. */
  readonly label?: string
  readonly items: readonly NavigationItem[]
}

export const navigation: readonly NavigationGroup[] = [
  { items: [{ to: '/', label: 'Home' }] },
  {
    label: 'Payments',
    items: [
      { to: '/transactions', label: 'Transactions', operation: 'listTransactions' },
      { to: '/invitations', label: 'Invitations to pay', operation: 'listCodes' },
      { to: '/units', label: 'Business units', operation: 'listBusinessUnits' },
    ],
  },
  {
    label: 'Messages',
    items: [
      { to: '/messages', label: 'Sent messages', operation: 'listCommunications' },
      { to: '/templates', label: 'Templates', operation: 'listTemplates' },
      { to: '/outbox', label: 'Outbox', operation: 'listOutboxMessages', isDevelopmentOnly: true },
    ],
  },
  {
    label: 'Webhooks',
    items: [
      { to: '/subscriptions', label: 'Subscriptions', operation: 'listSubscriptions' },
      { to: '/auth-infos', label: 'Auth infos', operation: 'listAuthInfos' },
      { to: '/events', label: 'Events', operation: 'listTenantEvents' },
      { to: '/deliveries', label: 'Deliveries', operation: 'listTenantDeliveries' },
      { to: '/dead-letters', label: 'Dead letters', operation: 'listDeadLetters' },
      { to: '/tasks', label: 'Tasks', operation: 'listDeadLetterTasks' },
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
    label: 'Tenant',
    items: [
      { to: '/audit', label: 'Audit', operation: 'listRecords' },
      { to: '/plan', label: 'Plans and billing' },
      { to: '/account', label: 'Account' },
    ],
  },
]
