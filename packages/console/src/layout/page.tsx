import { PaymentServiceError } from '@payments/client/errors'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { sentenceOf } from '../session/action.ts'
import { isRead, type OperationName } from '../session/api.ts'
import { useConnection } from '../session/connection.ts'
import { useDenial, useSelf } from '../session/self.ts'
import { foreign } from '../text/foreign.ts'
import { clock } from '../text/format.ts'
import { Notice } from '../ui/notice.tsx'
import { type NavigationItem, navigation } from './navigation.ts'
import styles from './page.module.css'
import { ShowAsCurl } from './show-as-curl.tsx'

interface PageProps {
  readonly title: string
  /** Whether the title is an amount, which stays on one line. */
  readonly isAmount?: boolean
  /** The purpose of the page in a sentence. */
  readonly about?: string | undefined
  readonly actions?: ReactNode
  /** The operation that the page reads with. Without its permission, the page says so and sends nothing. */
  readonly operation?: OperationName
  /** Parameters of the operation, for the same request as a command. */
  readonly args?: Readonly<Record<string, string | undefined>>
  readonly children: () => ReactNode
}

/** The frame of every page. A page of one resource leads back to its list. */
export function Page({ title, isAmount = false, about, actions, operation, args, children }: PageProps) {
  const denialOf = useDenial()
  const denial = operation === undefined ? undefined : denialOf(operation)
  useEffect(() => {
    document.title = `${title} · Payment Service`
  }, [title])
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div>
          <WayBack />
          <h1 className={isAmount ? 'amount' : undefined}>{title}</h1>
          <About text={about} />
        </div>
        {denial === undefined ? (
          <div className="row">
            {actions}
            {operation === undefined || !isRead(operation) ? null : (
              <ShowAsCurl operation={operation} args={args ?? {}} />
            )}
          </div>
        ) : null}
      </header>
      {denial === undefined ? children() : <Denied denial={denial} />}
    </div>
  )
}

/** The purpose of a page. A page of the navigation has the guide about it. */
function About({ text }: { text: string | undefined }) {
  const { pathname } = useLocation()
  const item = useNavigationItem()
  const guide = item?.to === pathname ? item.guide : undefined
  if (text === undefined && guide === undefined) return null
  return (
    <p className="muted">
      {text} {guide === undefined ? null : <Guide {...guide} />}
    </p>
  )
}

const Guide = ({ url, title }: NonNullable<NavigationItem['guide']>) => <a href={url}>Guide: {title}</a>

/** The item of the navigation with this page, or with the list that leads to it. */
function useNavigationItem(): NavigationItem | undefined {
  const { pathname } = useLocation()
  return navigation
    .flatMap(({ items }) => items)
    .find(({ to }) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`)))
}

/** The link to the page of the navigation that this page is below. */
function WayBack() {
  const { pathname } = useLocation()
  const denial = useDenial()
  const item = useNavigationItem()
  const list = item?.to === pathname ? undefined : item
  if (list?.operation === undefined || denial(list.operation) !== undefined) return null
  return (
    <Link to={list.to} className={styles.back}>
      {list.label}
    </Link>
  )
}

function Denied({ denial }: { denial: string }) {
  return (
    <Notice tone="warning" title="Your roles do not permit this page.">
      It {denial}. An administrator of your tenant can give you a role that has the permission.
    </Notice>
  )
}

/** The error state of what a page reads. */
export function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { isLost } = useConnection()
  if (isLost) return <Notice tone="warning">This is read as soon as the connection is back.</Notice>
  const isGone = error instanceof PaymentServiceError && error.status === 404
  return (
    <Notice tone="bad" title={isGone ? 'This does not exist, or was deleted.' : 'This could not be read.'}>
      <p>{sentenceOf(error)}</p>
      {isGone ? (
        <OfOneTenant />
      ) : (
        <p>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </Notice>
  )
}

/** For a person of several tenants: an address of another one looks as if its item was gone. */
function OfOneTenant() {
  const { tenant, memberships } = useSelf()
  if (memberships.length < 2) return null
  return (
    <p>
      This page shows {foreign(tenant.name)}. <a href="/session/choose-tenant">Choose another tenant</a> to see its
      items.
    </p>
  )
}

interface NotReadAgainProps {
  readonly error: Error | null
  /** When what stands below was read, in milliseconds since 1970. */
  readonly readAtMs: number
  readonly onRetry: () => void
}

/** Above what was read before: since when it is not up to date, or why it could not be read again. */
export function NotReadAgain({ error, readAtMs, onRetry }: NotReadAgainProps) {
  const { isLost } = useConnection()
  if (isLost) return <p className="muted">Not up to date: read at {clock(new Date(readAtMs))}.</p>
  return error === null ? null : <Failed error={error} onRetry={onRetry} />
}

/** In place of a page that could not be loaded. */
export function PageNotLoaded({ children }: { children: ReactNode }) {
  return (
    <div className={styles.page}>
      <h1>This page could not be loaded</h1>
      {children}
    </div>
  )
}

/** The text of a list without items, with the way to the first one. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** Bars in place of a part that is being read, after a moment. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className={styles.loading} role="status">
      <span className="visually-hidden">Loading …</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  )
}

/** A page whose chunk is being loaded. */
export function LoadingPage() {
  return (
    <div className={styles.page} data-late="true">
      <span className="bone" data-kind="title" />
      <Loading lines={8} />
    </div>
  )
}
