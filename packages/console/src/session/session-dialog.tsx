import { useSyncExternalStore } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { end, shownSessionTenant, signInReason, subscribe } from './gate.ts'
import { signedInPage, signInUrl } from './return-to.ts'
import { TenantDialog } from './tenant-dialog.tsx'

const texts = {
  'signed-out': {
    title: 'You are signed out',
    text: 'Your session has ended. Sign in again: the page stays as it is, with everything that you typed.',
    button: 'Sign in',
    buildUrl: () => signInUrl(signedInPage),
  },
  'step-up': {
    title: 'Confirm that it is you',
    text: 'This action requires a sign-in of the last five minutes. The action continues after it.',
    button: 'Confirm at the sign-in provider',
    buildUrl: () => signInUrl(signedInPage, 'step-up'),
  },
} as const

/** Shown while calls wait for a sign-in, which happens in another tab, or the session is for another tenant. */
export function SessionDialog() {
  const reason = useSyncExternalStore(subscribe, signInReason)
  const tenantName = useSyncExternalStore(subscribe, shownSessionTenant)
  if (tenantName !== undefined) return <TenantDialog sessionTenantName={tenantName} />
  if (reason === undefined) return null
  const { title, text, button, buildUrl } = texts[reason]
  const url = buildUrl()
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
