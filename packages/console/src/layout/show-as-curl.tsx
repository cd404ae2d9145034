import { useState } from 'react'
import { buildRequest, type OperationName } from '../session/api.ts'
import { useSelf } from '../session/self.ts'
import { Dialog } from '../ui/dialog.tsx'
import { CopyField } from '../ui/values.tsx'

interface ShowAsCurlProps {
  readonly operation: OperationName
  readonly args: Readonly<Record<string, string | undefined>>
}

/** The request of a page as a command, with an API key in place of the session. */
export function ShowAsCurl({ operation, args }: ShowAsCurlProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Show as curl
      </button>
      {isOpen ? (
        <Dialog title="This page as a request" onClose={() => setOpen(false)}>
          <p className="muted">Set KEY to the value of an API key with the permission of this page.</p>
          <Command operation={operation} args={args} />
        </Dialog>
      ) : null}
    </>
  )
}

function Command({ operation, args }: ShowAsCurlProps) {
  const { tenant } = useSelf()
  const [traceId] = useState(() => crypto.randomUUID())
  const { method, url } = buildRequest(operation, args)
  const quoted = `${location.origin}${url}`.replaceAll("'", "'\\''")
  const lines = [
    `curl -sS -X ${method} '${quoted}'`,
    '-H "Authorization: Bearer $KEY"',
    `-H 'Tenant-ID: ${tenant.id}'`,
    `-H 'Trace-ID: ${traceId}'`,
  ]
  return <CopyField label="the command" value={lines.join(' \\\n  ')} />
}
