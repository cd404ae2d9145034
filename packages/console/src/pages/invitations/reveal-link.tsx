import type { Code } from '@payments/client/schemas'
import { useCallback, useState } from 'react'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'

/** The link of an invitation, on request. */
export function RevealLink({ code }: { code: Code }) {
  const [value, setValue] = useState<string>()
  const reveal = useAction({
    call: () => api.revealCode({ code_id: code.id }),
    onSuccess: ({ url }) => setValue(url),
  })
  const hide = useCallback(() => setValue(undefined), [])
  if (value !== undefined) return <Secret label="the link" value={value} onHide={hide} />
  return (
    <div className="stack">
      <span className="row">
        <small>A secret: its holder can see the amount and pay.</small>
        <ActionButton operation="revealCode" onClick={() => reveal.run(undefined)}>
          Reveal the link
        </ActionButton>
      </span>
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}
