import type { OperationName } from '../session/api.ts'

/** The pages in the order of the navigation. A page is shown to who may call its operation. */
export interface NavigationItem {
  readonly to: string
  readonly label: string
  readonly operation?: OperationName
  /** The operation exists in development only. */
  readonly isDevelopmentOnly?: boolean
  /** The guide about it, which the gateway serves on this origin. */
  readonly guide?: { readonly url: string; readonly title: string }
}

interface NavigationGroup {
  /** Without a label, the group has no heading. */
  readonly label?: string
  readonly items: readonly NavigationItem[]
}

const guides = {
  authentication: { url: '/docs/authentication', title: 'Authentication' },
  limits: { url: '/docs/limits', title: 'Limits' },
  messages: { url: '/docs/messages', title: 'Messages to payers' },
  people: { url: '/docs/people', title: 'People and sign-in' },
  quickStart: { url: '/docs/quick-start', title: 'Quick start' },
  stripe: { url: '/docs/stripe', title: 'Cards with Stripe' },
  webhooks: { url: '/docs/webhooks', title: 'Webhooks' },
} as const

export const navigation: readonly NavigationGroup[] = [
  { items: [{ to: '/', label: 'Home' }] },
  {
    label: 'Payments',
    items: [
      { to: '/transactions', label: 'Transactions', operation: 'listTransactions', guide: guides.quickStart },
      { to: '/invitations', label: 'Invitations to pay', operation: 'listCodes', guide: guides.messages },
      { to: '/units', label: 'Business units', operation: 'listBusinessUnits', guide: guides.stripe },
    ],
  },
  {
    label: 'Messages',
    items: [
      { to: '/messages', label: 'Sent messages', operation: 'listCommunications', guide: guides.messages },
      { to: '/templates', label: 'Templates', operation: 'listTemplates', guide: guides.messages },
      { to: '/outbox', label: 'Outbox', operation: 'listOutboxMessages', isDevelopmentOnly: true },
    ],
  },
  {
    label: 'Webhooks',
    items: [
      { to: '/subscriptions', label: 'Subscriptions', operation: 'listSubscriptions', guide: guides.webhooks },
      { to: '/auth-infos', label: 'Auth infos', operation: 'listAuthInfos' },
      { to: '/events', label: 'Events', operation: 'listTenantEvents', guide: guides.webhooks },
      { to: '/deliveries', label: 'Deliveries', operation: 'listTenantDeliveries', guide: guides.webhooks },
      { to: '/dead-letters', label: 'Dead letters', operation: 'listDeadLetters', guide: guides.webhooks },
      { to: '/tasks', label: 'Tasks', operation: 'listDeadLetterTasks' },
    ],
  },
  {
    label: 'Access',
    items: [
      { to: '/keys', label: 'API keys', operation: 'listKeys', guide: guides.authentication },
      { to: '/roles', label: 'Roles', operation: 'listRoles', guide: guides.people },
      { to: '/users', label: 'Users', operation: 'listUsers', guide: guides.people },
    ],
  },
  {
    label: 'Tenant',
    items: [
      { to: '/audit', label: 'Audit', operation: 'listRecords' },
      { to: '/plan', label: 'Plans and billing', guide: guides.limits },
      { to: '/account', label: 'Account' },
    ],
  },
]
