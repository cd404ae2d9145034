import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { OperationName } from '../session/api.ts'
import { usePermitted } from '../session/self.ts'
import { Loaded } from './page.tsx'

interface CardProps<Data> {
  readonly title: string
  /** The operation that the card reads with. Without its permission, there is no card, and nothing is sent. */
  readonly operation: OperationName
  /** The first member is a topic of changes, where the API reports them. */
  readonly queryKey: readonly unknown[]
  readonly read: (signal: AbortSignal) => Promise<Data>
  /** Reads again after this time; default: as changes say. */
  readonly refetchMs?: number
  readonly isWide?: boolean
  readonly children: (data: Data) => ReactNode
}

/** A part of a page that loads and fails by itself. */
export function Card<Data>({ title, operation, queryKey, read, refetchMs, isWide, children }: CardProps<Data>) {
  const isPermitted = usePermitted(operation)
  const heading = useId()
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    enabled: isPermitted,
    refetchInterval: refetchMs ?? false,
  })
  if (!isPermitted) return null
  return (
    <section className="card stack" aria-labelledby={heading} data-wide={isWide}>
      <h2 id={heading}>{title}</h2>
      <Loaded query={query}>{children}</Loaded>
    </section>
  )
}
