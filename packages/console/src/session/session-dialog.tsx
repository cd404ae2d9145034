import { useSyncExternalStore } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { end, reasonOfWait, shownSessionTenant, subscribe } from './gate.ts'
import { signedInPage, signInUrl } from './return-to.ts'
import { TenantDialog } from './tenant-dialog.tsx'

const texts = {
  'signed-out': {
    title: 'You are signed out',
    text: 'Your session has ended. Sign in again: the page stays as it is, with everything that you typed.',
    button: 'Sign in',
    urlOf: () => signInUrl(signedInPage),
  },
  'step-up': {
    title: 'Confirm that it is you',
    text: 'This action requires a sign-in of the last five minutes. The action continues after it.',
    button: 'Confirm at the sign-in provider',
    urlOf: () => signInUrl(signedInPage, 'step-up'),
  },
} as const

/** Shown while calls wait for a sign-in, which happens in another tab, or the session is for another tenant. */
export function SessionDialog() {
  const reason = useSyncExternalStore(subscribe, reasonOfWait)
  const tenantName = useSyncExternalStore(subscribe, shownSessionTenant)
  if (tenantName !== undefined) return <TenantDialog sessionTenantName={tenantName} />
  if (reason === undefined) return null
  const { title, text, button, urlOf } = texts[reason]
  const url = urlOf()
  return (
    <Dialog title={title} onClose={() => end(false)}>
      <p>{text}</p>
      <p>
        <a className="button" data-kind="primary" href={url} target="_blank" rel="opener">
          {button}
        </a>
      </p>
      <small>The sign-in opens in a new tab, and this page continues by itself.</small>
    </Dialog>
  )
}
