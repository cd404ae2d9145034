import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { Loaded } from './loaded.tsx'

interface CardProps<Data> {
  readonly title: string
  /** The operations that the card reads with. Without a permission of them, there is no card, and nothing is sent. */
  readonly operations: readonly OperationName[]
  /** The first member is a topic of changes, where the API reports them. */
  readonly queryKey: readonly unknown[]
  readonly read: (signal: AbortSignal) => Promise<Data>
  /** Reads again after this time; default: as changes say. */
  readonly refetchMs?: number
  readonly isWide?: boolean
  readonly children: (data: Data) => ReactNode
}

/** A part of a page that loads and fails by itself. */
export function Card<Data>({ title, operations, queryKey, read, refetchMs, isWide, children }: CardProps<Data>) {
  const findDenial = useDenial()
  const isPermitted = operations.every((operation) => findDenial(operation) === undefined)
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
