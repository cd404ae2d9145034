import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isRead, type OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
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
