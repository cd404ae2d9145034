import { useEffect } from 'react'
import { announce } from '../../session/gate.ts'

/** The tab of a sign-in that another tab waits for: it announces the sign-in and closes itself. */
export function SignedInPage() {
  useEffect(() => {
    announce('signed-in')
    window.close()
  }, [])
  return (
    <main className="stack">
      <h1>You are signed in</h1>
      <p>Close this tab, and continue where you were.</p>
    </main>
  )
}
