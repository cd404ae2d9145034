import { useState } from 'react'
import { foreign } from '../text/foreign.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { announce, setTenantDialogClosed } from './gate.ts'
import { postForm } from './post-form.ts'
import { refreshAll } from './query-client.ts'
import { signedInPage, signInUrl } from './return-to.ts'
import { useSelf } from './self.ts'

interface TenantDialogProps {
  readonly sessionTenantName: string
}

/** Shown while the session of the browser is for another tenant than this tab. The page under it stays as it is. */
export function TenantDialog({ sessionTenantName }: TenantDialogProps) {
  const { tenant } = useSelf()
  const [state, setState] = useState<'offered' | 'running' | 'failed'>('offered')
  const own = foreign(tenant.name)
  const other = foreign(sessionTenantName)
  const url = signInUrl(signedInPage)
  const switchBack = async () => {
    setState('running')
    try {
      await postForm('/session/switch-tenant', { tenant_id: tenant.id })
      announce('session-changed')
      // Closes the dialog.
      await refreshAll()
    } catch {
      setState('failed')
    }
  }
  return (
    <Dialog title={`Another tab has opened ${other}`} onClose={() => setTenantDialogClosed(true)}>
      <p>
        The session of this browser is for <strong>{other}</strong>. This tab shows <strong>{own}</strong>, so the
        platform rejects its requests: they change nothing in either tenant.
      </p>
      <div className="row">
        <button type="button" data-kind="primary" disabled={state === 'running'} onClick={() => void switchBack()}>
          Switch back to {own}
        </button>
        <a className="button" href="/console">
          Open {other}
        </a>
      </div>
      {state === 'failed' ? (
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
