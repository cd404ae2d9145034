import {
  AuthenticationError,
  PaymentServiceConnectionError,
  PaymentServiceError,
  PermissionError,
} from '@payments/client/errors'
import { focusManager, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { reportFailure, reportResponse } from './connection.ts'
import { end, onSessionChange, reportSessionEnd, requireSignIn, signInReason } from './gate.ts'
import { selfQuery } from './self.ts'

/** The client of the API repeats requests, so a query does not. A page that opens reads again what it shows. */
export const queryClient: QueryClient = new QueryClient({
  // Without a network, a call fails at once and says so, rather than wait for one.
  defaultOptions: {
    queries: { retry: false, gcTime: 300_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({ onSuccess: reportResponse, onError: reportOutcome }),
  queryCache: new QueryCache({
    onSuccess(_data, { queryKey }) {
      reportResponse()
      if (queryKey[0] !== selfQuery.queryKey[0]) return
      reportSession(true)
      if (signInReason() === 'signed-out') end(true)
    },
    onError(error, { queryKey }) {
      reportOutcome(error)
      const isSelf = queryKey[0] === selfQuery.queryKey[0]
      if (error instanceof AuthenticationError) {
        if (isSelf) {
          reportSession(false)
          void readAgainWith(requireSignIn('signed-out'))
        } else reading ??= readAgainWith(hasSession()).finally(() => (reading = undefined))
      }
      // A permission was removed while the page was open. The person is not read again because their own read failed.
      if (error instanceof PermissionError && !isSelf) void queryClient.invalidateQueries(selfQuery)
    },
  }),
})

/** Without a session, no query reads again by itself: the API rejects the cookie of an ended one. */
function reportSession(isOpen: boolean): void {
  focusManager.setFocused(isOpen ? undefined : false)
  reportSessionEnd(!isOpen)
}

function reportOutcome(error: Error): void {
  if (error instanceof PaymentServiceConnectionError) void reportFailure()
  else if (error instanceof PaymentServiceError) reportResponse()
}

/** Lists that get 401 together are read again together; one that gets 401 again meanwhile shows its failure. */
let reading: Promise<void> | undefined

async function readAgainWith(session: Promise<boolean>): Promise<void> {
  // Each list shows its own failure.
  if (await session) await refreshAll().catch(() => {})
}

/**
 * After a 401. A sign-in in another tab replaces the session: a request that was sent before it gets 401 although the
 * person is signed in. Otherwise waits for a sign-in. Resolves with whether there is a session in the tenant of the
 * tab.
 */
export async function hasSession(): Promise<boolean> {
  try {
    await queryClient.fetchQuery({ ...selfQuery, staleTime: 0 })
    return true
  } catch (error) {
    return error instanceof AuthenticationError && requireSignIn('signed-out')
  }
}

/** Reads everything again. Rejects without a session in the tenant of the tab; never resolves for another person. */
export async function refreshAll(): Promise<void> {
  await queryClient.fetchQuery({ ...selfQuery, staleTime: 0 })
  await queryClient.invalidateQueries()
}

// A switch of tenant and the sign-in of another person show a dialog, by the read of the person.
onSessionChange(() => void refreshAll().catch(() => {}))
