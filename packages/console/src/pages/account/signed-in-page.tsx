import { AuthenticationError } from '@payments/client/errors'
import { useEffect, useState } from 'react'
import { sessionApi } from '../../session/api.ts'
import { announce } from '../../session/gate.ts'

/** The tab of a sign-in that another tab waits for: it announces the sign-in and closes itself. */
export function SignedInPage() {
  const [isSignedOut, setSignedOut] = useState(false)
  useEffect(() => {
    void hasSession().then((isSignedIn) => {
      setSignedOut(!isSignedIn)
      if (!isSignedIn) return
      announce('signed-in')
      window.close()
    })
  }, [])
  return isSignedOut ? (
    <main className="stack">
      <h1>You are not signed in</h1>
      <p>
        <a href="/console">Sign in</a>
      </p>
    </main>
  ) : (
    <main className="stack">
      <h1>You are signed in</h1>
      <p>Close this tab, and continue where you were.</p>
    </main>
  )
}

/** Any other failure says nothing about the session. */
const hasSession = () =>
  sessionApi.readSelf({}).then(
    () => true,
    (error: unknown) => !(error instanceof AuthenticationError),
  )
