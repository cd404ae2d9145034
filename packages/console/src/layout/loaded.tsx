import { PaymentServiceConnectionError, PaymentServiceError } from '@payments/client/errors'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { formatError } from '../session/action.ts'
import { useConnection } from '../session/connection.ts'
import { useSelf } from '../session/self.ts'
import { clock, foreign } from '../text/format.ts'
import { Notice } from '../ui/notice.tsx'
import { Loading } from './page.tsx'

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

interface FailedProps {
  readonly error: Error
  readonly onRetry: () => void
}

/** The error state of what a page reads. After a failure that may pass, it reads again by itself. */
export function Failed({ error, onRetry }: FailedProps) {
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
