import { PaymentServiceConnectionError, PaymentServiceError } from '@payments/client/errors'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { formatError } from '../session/action.ts'
import { buildRequest, isRead, type OperationName } from '../session/api.ts'
import { useConnection } from '../session/connection.ts'
import { useDenial, useSelf } from '../session/self.ts'
import { clock, foreign } from '../text/format.ts'
import { CopyField, Notice } from '../ui/content.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { type NavigationItem, navigation } from './navigation.ts'
import styles from './page.module.css'

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
  const findDenial = useDenial()
  const denial = operation === undefined ? undefined : findDenial(operation)
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
  const findDenial = useDenial()
  const item = useNavigationItem()
  const list = item?.to === pathname ? undefined : item
  if (list?.operation === undefined || findDenial(list.operation) !== undefined) return null
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

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'dataUpdatedAt' | 'refetch'>
  readonly children: (data: Data) => ReactNode
}

/**
 * The data of a query, in each of its states. A later failure stands above what was read before, so a form in it keeps
 * its texts.
 */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, dataUpdatedAt, refetch } = query
  const readAgain = () => void refetch()
  if (error !== null && (data === undefined || isGoneBy(error))) return <Failed error={error} onRetry={readAgain} />
  if (data === undefined) return <Loading />
  return (
    <>
      <NotReadAgain error={error} readAtMs={dataUpdatedAt} onRetry={readAgain} />
      {children(data)}
    </>
  )
}

const isGoneBy = (error: Error) => error instanceof PaymentServiceError && error.status === 404

/** The error state of what a page reads. After a failure that may pass, it reads again by itself. */
export function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { isLost } = useConnection()
  useRepetition(error, onRetry)
  if (isLost) return <Notice tone="warning">This is read as soon as the connection is back.</Notice>
  const isGone = isGoneBy(error)
  return (
    <Notice tone="bad" title={isGone ? 'This does not exist, or was deleted.' : 'This could not be read.'}>
      <p>{formatError(error)}</p>
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

const repetitionMs = 30_000
const repetitionMsMax = 300_000

/** Reads again after a failure that passes: of the network, of the platform, or of a rate. */
function useRepetition(error: Error, onRetry: () => void): void {
  const repeat = useEffectEvent(onRetry)
  useEffect(() => {
    const isOfRequest = error instanceof PaymentServiceError && error.status < 500 && error.status !== 429
    if (isOfRequest || !isOfApi(error)) return
    const waitMs = error instanceof PaymentServiceError ? (error.retryAfterMs ?? 0) : 0
    const timer = setTimeout(() => repeat(), Math.min(Math.max(waitMs, repetitionMs), repetitionMsMax))
    return () => clearTimeout(timer)
  }, [error])
}

const isOfApi = (error: Error) => error instanceof PaymentServiceError || error instanceof PaymentServiceConnectionError

interface ShowAsCurlProps {
  readonly operation: OperationName
  readonly args: Readonly<Record<string, string | undefined>>
}

/** The request of a page as a command, with an API key in place of the session. */
function ShowAsCurl({ operation, args }: ShowAsCurlProps) {
  const { tenant } = useSelf()
  /** Of the command; undefined while it is not shown. */
  const [traceId, setTraceId] = useState<string>()
  const { method, url } = buildRequest(operation, args)
  const quoted = `${location.origin}${url}`.replaceAll("'", "'\\''")
  const lines = [
    `curl -sS -X ${method} '${quoted}'`,
    '-H "Authorization: Bearer $KEY"',
    `-H 'Tenant-ID: ${tenant.id}'`,
    `-H 'Trace-ID: ${traceId}'`,
  ]
  return (
    <>
      <button type="button" onClick={() => setTraceId(crypto.randomUUID())}>
        Show as curl
      </button>
      {traceId === undefined ? null : (
        <Dialog title="This page as a request" onClose={() => setTraceId(undefined)}>
          <p className="muted">Set KEY to the value of an API key with the permission of this page.</p>
          <CopyField label="the command" value={lines.join(' \\\n  ')} />
        </Dialog>
      )}
    </>
  )
}
