import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Suspense, useId, useRef, useState } from 'react'
import { useConnection } from '../session/connection.ts'
import { useDenial, useSelf } from '../session/self.ts'
import { SessionDialog } from '../session/session-dialog.tsx'
import { clock, foreign } from '../text/format.ts'
import { Notice } from '../ui/content.tsx'
import { Menu } from '../ui/menu.tsx'
import { type NavigationItem, navigation } from './navigation.ts'
import { LoadingPage } from './page.tsx'
import { type SessionChange, signOut, useSessionChange } from './session-change.tsx'
import styles from './shell.module.css'

/** Navigation, tenant and environment around every page. */
export function Shell() {
  const { environment } = useSelf()
  const drawer = useRef<HTMLDivElement>(null)
  const id = useId()
  const [changeSession, failure] = useSessionChange()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.bar}>
        <button type="button" data-kind="plain" className={styles.open} popoverTarget={id} aria-label="Navigation">
          ☰
        </button>
        <Tenant />
        <Environment name={environment} />
        <span className={styles.space} />
        <PersonMenu changeSession={changeSession} />
      </header>
      <ConnectionBanner />
      <nav className={styles.side} aria-label="Pages">
        <Pages />
      </nav>
      <div ref={drawer} id={id} popover="auto" className={styles.drawer}>
        <nav aria-label="All pages">
          <Pages onOpen={() => drawer.current?.hidePopover()} />
        </nav>
      </div>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Invitations />
        <Suspense fallback={<LoadingPage />}>
          <Outlet />
        </Suspense>
      </main>
      <SessionDialog />
      {failure}
    </div>
  )
}

/** The name of the tenant. A person of several leads from it to the choice. */
function Tenant() {
  const { tenant, memberships } = useSelf()
  const name = foreign(tenant.name)
  if (memberships.length < 2) return <strong>{name}</strong>
  return (
    <a className={styles.tenant} href="/session/choose-tenant" aria-label={`Tenant ${name}: choose another one`}>
      <span className={styles.label}>Tenant</span> <strong>{name}</strong> <span aria-hidden="true">⇄</span>
    </a>
  )
}

/** Tenants that invite the person: no person joins one by itself. */
function Invitations() {
  const { invitations } = useSelf()
  const [first] = invitations
  if (first === undefined) return null
  const others = invitations.length - 1
  return (
    <Notice tone="info">
      {foreign(first.tenant_name)}
      {others === 0 ? ' invites you.' : ` and ${others} more invite you.`}{' '}
      <a href="/session/choose-tenant">Accept or decline</a>
    </Notice>
  )
}

function Pages({ onOpen }: { onOpen?: () => void }) {
  const findDenial = useDenial()
  const { environment } = useSelf()
  const isOffered = ({ operation, isDevelopmentOnly = false }: NavigationItem) =>
    (operation === undefined || findDenial(operation) === undefined) && (!isDevelopmentOnly || environment === 'dev')
  const groups = navigation.map(({ label, items }) => {
    const offered = items.filter(isOffered)
    if (offered.length === 0) return null
    return (
      <section key={label ?? ''}>
        {label === undefined ? null : <h2>{label}</h2>}
        <ul>
          {offered.map((item) => (
            <li key={item.to}>
              <Link
                to={item.to}
                activeOptions={{ exact: item.to === '/', includeSearch: false }}
                {...(onOpen === undefined ? {} : { onClick: onOpen })}
              >
                {item.label}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    )
  })
  return (
    <>
      {groups}
      <a href="/docs">Documentation</a>
    </>
  )
}

/** In words and in colour, so that prod is recognized. */
function Environment({ name }: { name: 'dev' | 'qa' | 'prod' }) {
  return (
    <span className={styles.environment} data-environment={name}>
      {name.toUpperCase()}
    </span>
  )
}

function PersonMenu({ changeSession }: { changeSession: (change: SessionChange) => void }) {
  const { actor, tenant, memberships } = useSelf()
  const others = memberships.filter(({ tenant_id }) => tenant_id !== tenant.id)
  const name = foreign(actor.name ?? 'Signed in')
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  return (
    <Menu
      label={`Menu of ${name}`}
      items={[
        { label: 'Account', onSelect: () => void navigate({ to: '/account' }) },
        ...others.map(({ tenant_id, tenant_name }) => ({
          label: `Switch to ${foreign(tenant_name)}`,
          onSelect: () => changeSession(switchTo(tenant_id, foreign(tenant_name), foreign(tenant.name))),
        })),
        ...(['light', 'dark', 'system'] as const).map((each) => ({
          label: `Theme: ${each}${each === theme ? ' ✓' : ''}`,
          onSelect: () => {
            applyTheme(each)
            setTheme(each)
          },
        })),
        { label: 'Sign out', onSelect: () => changeSession(signOut) },
      ]}
    >
      {name}
    </Menu>
  )
}

const switchTo = (tenantId: string, name: string, currentName: string): SessionChange => ({
  path: '/session/switch-tenant',
  message: 'session-changed',
  fields: { tenant_id: tenantId },
  failed: `The switch to ${name} failed`,
  again: 'Switch again',
  remains: `in ${currentName}`,
})

/** Says that the platform does not respond, and since when the page may be out of date. */
function ConnectionBanner() {
  const { isLost, lastResponseAt } = useConnection()
  return (
    <div role="status" className={styles.banner}>
      {isLost ? (
        <p>
          <strong>{navigator.onLine ? 'Payment Service does not respond.' : 'You are offline.'}</strong> The last
          response came at {clock(lastResponseAt)}. The page continues by itself once the connection is back.
        </p>
      ) : null}
    </div>
  )
}

/** Light, dark, or as the system says. The choice is in the storage of the browser. */
type Theme = 'system' | 'light' | 'dark'

const key = 'theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    localStorage.removeItem(key)
    delete dataset['theme']
  } else {
    localStorage.setItem(key, theme)
    dataset['theme'] = theme
  }
}
