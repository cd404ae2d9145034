import { useMutation } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { foreign } from '../text/format.ts'
import { Notice } from '../ui/content.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { announce, end, setTenantDialogClosed, shownSessionTenant, signInReason, subscribe } from './gate.ts'
import { refreshAll } from './query-client.ts'
import { useSelf } from './self.ts'
import { postForm, signedInPage, signInUrl } from './sign-in.ts'

const texts = {
  'signed-out': {
    title: 'You are signed out',
    text: 'Your session has ended. Sign in again: the page stays as it is, with everything that you typed.',
    button: 'Sign in',
    path: 'sign-in',
  },
  'step-up': {
    title: 'Confirm that it is you',
    text: 'This action requires a sign-in of the last five minutes. The action continues after it.',
    button: 'Confirm at the sign-in provider',
    path: 'step-up',
  },
} as const

/** Shown while calls wait for a sign-in, which happens in another tab, or the session is for another tenant. */
export function SessionDialog() {
  const reason = useSyncExternalStore(subscribe, signInReason)
  const tenantName = useSyncExternalStore(subscribe, shownSessionTenant)
  if (tenantName !== undefined) return <TenantDialog sessionTenantName={tenantName} />
  if (reason === undefined) return null
  const { title, text, button, path } = texts[reason]
  const url = signInUrl(signedInPage, path)
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

/** Shown while the session of the browser is for another tenant than this tab. The page under it stays as it is. */
function TenantDialog({ sessionTenantName }: { sessionTenantName: string }) {
  const { tenant } = useSelf()
  const own = foreign(tenant.name)
  const other = foreign(sessionTenantName)
  const url = signInUrl(signedInPage)
  const { mutate, isPending, isError } = useMutation({
    mutationFn: async () => {
      await postForm('/session/switch-tenant', { tenant_id: tenant.id })
      announce('session-changed')
      // Closes the dialog.
      await refreshAll()
    },
  })
  return (
    <Dialog title={`Another tab has opened ${other}`} onClose={() => setTenantDialogClosed(true)}>
      <p>
        The session of this browser is for <strong>{other}</strong>. This tab shows <strong>{own}</strong>, so the
        platform rejects its requests: they change nothing in either tenant.
      </p>
      <div className="row">
        <button type="button" data-kind="primary" disabled={isPending} onClick={() => mutate()}>
          Switch back to {own}
        </button>
        <a className="button" href="/console">
          Open {other}
        </a>
      </div>
      {isError ? (
        <Notice tone="warning">
          The switch failed.{' '}
          <a href={url} target="_blank" rel="opener">
            Sign in to {own}
          </a>{' '}
          in a new tab.
        </Notice>
      ) : null}
      <small>After the switch back, the page stays as it is. Nothing is sent again by itself.</small>
    </Dialog>
  )
}
