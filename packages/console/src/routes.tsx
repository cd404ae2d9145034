import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { Failed, Loading, Page } from './layout/page.tsx'
import { Shell } from './layout/shell.tsx'

/** Every page with its path. A page is a chunk of its own. Filters are in the URL. */
const root = createRootRoute()

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const page = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component,
    validateSearch: (search: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  })

const pages = [
  page('$', NotFound),
  page(
    '/',
    lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
  ),
  page(
    '/keys',
    lazyRouteComponent(() => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  ),
  page(
    '/keys/$keyId',
    lazyRouteComponent(() => import('./pages/keys/key-page.tsx'), 'KeyPage'),
  ),
  page(
    '/roles',
    lazyRouteComponent(() => import('./pages/roles/roles-page.tsx'), 'RolesPage'),
  ),
  page(
    '/roles/$roleId',
    lazyRouteComponent(() => import('./pages/roles/role-page.tsx'), 'RolePage'),
  ),
  page(
    '/users',
    lazyRouteComponent(() => import('./pages/users/users-page.tsx'), 'UsersPage'),
  ),
  page(
    '/users/$userId',
    lazyRouteComponent(() => import('./pages/users/user-page.tsx'), 'UserPage'),
  ),
  page(
    '/transactions',
    lazyRouteComponent(() => import('./pages/transactions/transactions-page.tsx'), 'TransactionsPage'),
  ),
  page(
    '/transactions/$transactionId',
    lazyRouteComponent(() => import('./pages/transactions/transaction-page.tsx'), 'TransactionPage'),
  ),
  page(
    '/units',
    lazyRouteComponent(() => import('./pages/units/units-page.tsx'), 'UnitsPage'),
  ),
  page(
    '/units/$unitId',
    lazyRouteComponent(() => import('./pages/units/unit-page.tsx'), 'UnitPage'),
  ),
  page(
    '/subscriptions',
    lazyRouteComponent(() => import('./pages/webhooks/subscriptions-page.tsx'), 'SubscriptionsPage'),
  ),
  page(
    '/subscriptions/$unitId/$subscriptionId',
    lazyRouteComponent(() => import('./pages/webhooks/subscription-page.tsx'), 'SubscriptionPage'),
  ),
  page(
    '/deliveries',
    lazyRouteComponent(() => import('./pages/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  ),
  page(
    '/deliveries/$unitId/$deliveryId',
    lazyRouteComponent(() => import('./pages/deliveries/delivery-page.tsx'), 'DeliveryPage'),
  ),
  page(
    '/audit',
    lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  ),
  page(
    '/plan',
    lazyRouteComponent(() => import('./pages/plan/plan-page.tsx'), 'PlanPage'),
  ),
  page(
    '/account',
    lazyRouteComponent(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
  ),
]

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('./pages/account/signed-in-page.tsx'), 'SignedInPage'),
})

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([shell.addChildren(pages), signedIn]),
    basepath: '/console',
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
      const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
      return text === '' ? '' : `?${text.replaceAll('+', '%20')}`
    },
    defaultPendingComponent: Loading,
    defaultErrorComponent: Broken,
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}

function NotFound() {
  return <Page title="There is no such page">{() => <Link to="/">Home</Link>}</Page>
}

function Broken({ error, reset }: ErrorComponentProps) {
  return <Failed error={error instanceof Error ? error : new Error('unknown')} onRetry={reset} />
}
