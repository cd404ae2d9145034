import type { ApiKey } from '@payments/client/schemas'
import { useCallback, useState } from 'react'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'

/** The masked value, and the full one on request. */
export function RevealKey({ apiKey }: { apiKey: ApiKey }) {
  const [value, setValue] = useState<string>()
  const reveal = useAction({
    call: () => api.revealKey({ api_key_id: apiKey.id }),
    onSuccess: (revealed) => setValue(revealed.value),
  })
  const hide = useCallback(() => setValue(undefined), [])
  if (value !== undefined) return <Secret label="the value of the key" value={value} onHide={hide} />
  return (
    <div className="stack">
      <span className="row">
        <code>{foreign(apiKey.value)}</code>
        <ActionButton operation="revealKey" onClick={() => reveal.run(undefined)}>
          Reveal
        </ActionButton>
      </span>
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}
