import { useQueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
  type RouteComponent,
  useRouter,
} from '@tanstack/react-router'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { createLoader, PageUnavailable, reloadForRelease } from './layout/load-page.ts'
import { Failed, LoadingPage, Page, PageNotLoaded } from './layout/page.tsx'
import { LeaveSession } from './layout/session-change.tsx'
import { Shell } from './layout/shell.tsx'
import { onRecovery, useConnection } from './session/connection.ts'
import { selfQuery } from './session/self.ts'
import { Notice } from './ui/content.tsx'

/** Every page with its path. Each page is one chunk. Filters are in the URL. */
const root = createRootRoute()

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })

const createPage = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({
    getParentRoute: () => shell,
    path,
    component,
    validateSearch: (search: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  })

/** A page of a module, which is loaded when the page opens. */
const page = <Path extends string, Name extends string>(
  path: Path,
  load: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
  name: Name,
) => createPage(path, lazyRouteComponent(createLoader(load), name))

const pages = [
  createPage('$', NotFound),
  page('/', () => import('./pages/home/home-page.tsx'), 'HomePage'),
  page('/keys', () => import('./pages/keys/keys-page.tsx'), 'KeysPage'),
  page('/keys/$api_key_id', () => import('./pages/keys/key-page.tsx'), 'KeyPage'),
  page('/roles', () => import('./pages/roles/roles-page.tsx'), 'RolesPage'),
  page('/roles/$role_id', () => import('./pages/roles/role-page.tsx'), 'RolePage'),
  page('/users', () => import('./pages/users/users-page.tsx'), 'UsersPage'),
  page('/users/$user_id', () => import('./pages/users/user-page.tsx'), 'UserPage'),
  page('/transactions', () => import('./pages/transactions/transactions-page.tsx'), 'TransactionsPage'),
  page('/transactions/$transaction_id', () => import('./pages/transactions/transaction-page.tsx'), 'TransactionPage'),
  page('/units', () => import('./pages/units/units-page.tsx'), 'UnitsPage'),
  page('/units/$business_unit_id', () => import('./pages/units/unit-page.tsx'), 'UnitPage'),
  page('/subscriptions', () => import('./pages/webhooks/subscriptions-page.tsx'), 'SubscriptionsPage'),
  page(
    '/subscriptions/$business_unit_id/$bu_webhook_id',
    () => import('./pages/webhooks/subscription-page.tsx'),
    'SubscriptionPage',
  ),
  page(
    '/subscriptions/$business_unit_id/$bu_webhook_id/recover',
    () => import('./pages/webhooks/recover-page.tsx'),
    'RecoverPage',
  ),
  page('/deliveries', () => import('./pages/deliveries/deliveries-page.tsx'), 'DeliveriesPage'),
  page(
    '/deliveries/$business_unit_id/$delivery_id',
    () => import('./pages/deliveries/delivery-page.tsx'),
    'DeliveryPage',
  ),
  page('/dead-letters', () => import('./pages/dead-letters/dead-letters-page.tsx'), 'DeadLettersPage'),
  page('/dead-letters/list', () => import('./pages/dead-letters/letters-page.tsx'), 'LettersPage'),
  page('/dead-letters/$dead_letter_id', () => import('./pages/dead-letters/letter-page.tsx'), 'LetterPage'),
  page('/tasks', () => import('./pages/tasks/tasks-page.tsx'), 'TasksPage'),
  page('/tasks/$task_id', () => import('./pages/tasks/task-page.tsx'), 'TaskPage'),
  page('/auth-infos', () => import('./pages/auth-infos/auth-infos-page.tsx'), 'AuthInfosPage'),
  page('/auth-infos/$webhook_auth_info_id', () => import('./pages/auth-infos/auth-info-page.tsx'), 'AuthInfoPage'),
  page('/events', () => import('./pages/events/events-page.tsx'), 'EventsPage'),
  page('/events/$tenant_event_id', () => import('./pages/events/event-page.tsx'), 'EventPage'),
  page('/invitations', () => import('./pages/invitations/invitations-page.tsx'), 'InvitationsPage'),
  page('/invitations/new', () => import('./pages/invitations/invite-page.tsx'), 'InvitePage'),
  page('/invitations/$code_id', () => import('./pages/invitations/invitation-page.tsx'), 'InvitationPage'),
  page('/messages', () => import('./pages/messages/messages-page.tsx'), 'MessagesPage'),
  page('/messages/$communication_id', () => import('./pages/messages/message-page.tsx'), 'MessagePage'),
  page('/templates', () => import('./pages/messages/templates-page.tsx'), 'TemplatesPage'),
  page('/templates/$template_id', () => import('./pages/messages/template-page.tsx'), 'TemplatePage'),
  page('/outbox', () => import('./pages/messages/outbox-page.tsx'), 'OutboxPage'),
  page('/audit', () => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
  page('/plan', () => import('./pages/plan/plan-page.tsx'), 'PlanPage'),
  page('/account', () => import('./pages/account/account-page.tsx'), 'AccountPage'),
]

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(
    createLoader(() => import('./pages/account/signed-in-page.tsx')),
    'SignedInPage',
  ),
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
    defaultPendingComponent: LoadingPage,
    defaultPendingMs: 300,
    defaultPendingMinMs: 0,
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
  return (
    <Page title="Page not found" about="The link is old or incomplete.">
      {() => (
        <div>
          <Link className="button" to="/">
            Go to Home
          </Link>
        </div>
      )}
    </Page>
  )
}

/** A page that could not be loaded or read. It opens by itself once the platform responds again. */
function Broken({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  const { isLost } = useConnection()
  const isSelfRead = useQueryClient().getQueryData(selfQuery.queryKey) !== undefined
  const openAgain = useCallback(() => {
    reset()
    void router.invalidate()
  }, [reset, router])
  useEffect(() => onRecovery(openAgain), [openAgain])
  if (error instanceof PageUnavailable && !isLost) return <Unavailable error={error} />
  const page = (
    <PageNotLoaded>
      {isLost ? (
        <Notice tone="warning">It opens by itself as soon as the connection is back.</Notice>
      ) : (
        <Failed error={error instanceof Error ? error : new Error('unknown')} onRetry={openAgain} />
      )}
      {isSelfRead ? null : <LeaveSession />}
    </PageNotLoaded>
  )
  // The shell has the landmark of a page.
  return isSelfRead ? page : <main className="stack">{page}</main>
}

function Unavailable({ error }: { readonly error: PageUnavailable }) {
  const [mayReload, setMayReload] = useState(true)
  useEffect(() => void reloadForRelease().then(setMayReload), [])
  if (mayReload) return <LoadingPage />
  return (
    <PageNotLoaded>
      <Failed error={error} onRetry={() => location.reload()} />
    </PageNotLoaded>
  )
}
