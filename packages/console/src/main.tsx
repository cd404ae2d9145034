import { AuthenticationError } from '@payments/client/errors'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme, readTheme } from './layout/shell.tsx'
import { createConsoleRouter } from './routes.tsx'
import { queryClient } from './session/query-client.ts'
import { selfQuery } from './session/self.ts'
import { returnTo, signedInPage, signInUrl } from './session/sign-in.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/skeleton.css'

applyTheme(readTheme())

// The page of the other tab, which a sign-in opened, needs no session.
const isSignedInPage = location.pathname === signedInPage
queryClient.fetchQuery(selfQuery).then(show, (error: unknown) => {
  if (error instanceof AuthenticationError && !isSignedInPage) location.replace(signInUrl(returnTo(location)))
  else show()
})

function show(): void {
  const root = document.getElementById('root')
  if (root === null) throw new Error('the shell has no #root')
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createConsoleRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
