import { PaymentServiceError } from '@payments/client/errors'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { sentenceOf } from '../session/action.ts'
import { isRead, type OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { Notice } from '../ui/notice.tsx'
import { navigation } from './navigation.ts'
import styles from './page.module.css'
import { ShowAsCurl } from './show-as-curl.tsx'

interface PageProps {
  readonly title: string
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
export function Page({ title, about, actions, operation, args, children }: PageProps) {
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
          <h1>{title}</h1>
          {about === undefined ? null : <p className="muted">{about}</p>}
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

/** The link to the page of the navigation that this page is below. */
function WayBack() {
  const { pathname } = useLocation()
  const denial = useDenial()
  const list = navigation.flatMap(({ items }) => items).find(({ to }) => pathname.startsWith(`${to}/`))
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
  const isGone = error instanceof PaymentServiceError && error.status === 404
  return (
    <Notice tone="bad" title={isGone ? 'This does not exist, or was deleted.' : 'This could not be read.'}>
      <p>{sentenceOf(error)}</p>
      {isGone ? null : (
        <p>
          <button type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
    </Notice>
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

export function Loading() {
  return (
    <p className={styles.loading} role="status">
      Loading …
    </p>
  )
}
