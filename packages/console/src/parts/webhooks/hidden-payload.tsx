import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'

/** Says which permission the person lacks to see a payload; nothing when it is shown. */
export function HiddenPayload({ missing }: { missing: string | null }) {
  if (missing === null) return null
  return (
    <Notice tone="info">
      The payload and the bodies of responses are hidden: your roles lack the permission <code>{foreign(missing)}</code>
      .
    </Notice>
  )
}
