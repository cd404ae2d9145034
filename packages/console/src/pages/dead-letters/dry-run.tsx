import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Loaded } from '../../layout/loaded.tsx'
import { DeliveryCount } from '../../parts/webhooks/delivery-count.tsx'

type Reply = Counted | { readonly task_id: string }

interface Counted {
  readonly count: number
  readonly counted_at: string
}

/** The number of deliveries that a call with `dry_run` counts, once for each dialog that opens. */
export function useDryRun(kind: string, call: (options: { signal: AbortSignal }) => PromiseLike<Reply>) {
  const id = useId()
  return useQuery({
    queryKey: ['dry-run', kind, id],
    queryFn: async ({ signal }) => {
      const reply = await call({ signal })
      if (!('count' in reply)) throw new Error('a dry run started a task')
      return reply
    },
    gcTime: 0,
    // Not read again after a failure: the same call is sent again.
    staleTime: 'static',
    refetchOnWindowFocus: false,
  })
}

/** The result of a dry run as a sentence. */
export function DryRun({ query, effect }: { query: UseQueryResult<Counted>; effect: string }) {
  return <Loaded query={query}>{({ count }) => <DeliveryCount count={count} effect={effect} />}</Loaded>
}
