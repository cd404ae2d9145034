import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Failed, Loading } from '../../layout/page.tsx'
import { counted } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'

type Reply = { readonly count: number } | { readonly task_id: string }

/** The number of deliveries that a call with `dry_run` counts, once for each dialog that opens. */
export function useDryRun(kind: string, call: (options: { signal: AbortSignal }) => PromiseLike<Reply>) {
  const id = useId()
  return useQuery({
    queryKey: ['dry-run', kind, id],
    queryFn: async ({ signal }) => {
      const reply = await call({ signal })
      return 'count' in reply ? reply.count : 0
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

/** The result of a dry run as a sentence. */
export function DryRun({ query, effect }: { query: UseQueryResult<number>; effect: string }) {
  const { data, error, refetch } = query
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  return <Counted size={data} effect={effect} />
}

/** `1,204 deliveries would be sent.` */
export function Counted({ size, effect }: { size: number; effect: string }) {
  return (
    <Notice tone={size === 0 ? 'warning' : 'info'}>
      <strong>{counted(size, 'delivery', 'deliveries')}</strong> {effect}.
    </Notice>
  )
}
