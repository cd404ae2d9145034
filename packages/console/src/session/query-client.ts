import { AuthenticationError, PermissionError } from '@payments/client/errors'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { requireSignIn } from './gate.ts'
import { selfQuery } from './self.ts'

/** The client of the API repeats requests, so a query does not. A page that opens reads again what it shows. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: false, gcTime: 300_000 } },
  queryCache: new QueryCache({
    onError(error) {
      if (error instanceof AuthenticationError) void readAgainAfterSignIn()
      // A permission was removed while the page was open.
      if (error instanceof PermissionError) void queryClient.invalidateQueries(selfQuery)
    },
  }),
})

async function readAgainAfterSignIn(): Promise<void> {
  if (await requireSignIn('signed-out')) await refreshAll()
}

/** Reads everything again. Another person or tenant starts with an empty page. */
export async function refreshAll(): Promise<void> {
  const before = queryClient.getQueryData(selfQuery.queryKey)
  const now = await queryClient.fetchQuery({ ...selfQuery, staleTime: 0 })
  const isSame = before === undefined || (before.actor.id === now.actor.id && before.tenant.id === now.tenant.id)
  if (isSame) await queryClient.invalidateQueries()
  else location.assign('/console')
}
