import type { WebhookSubscription } from '@payments/client/schemas'
import { useCallback, useState } from 'react'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'

/** The masked signing secret, and the full one on request. */
export function RevealSecret({ subscription }: { subscription: WebhookSubscription }) {
  const { id, business_unit_id: unitId, secret } = subscription
  const [value, setValue] = useState<string>()
  const reveal = useAction({
    call: () => api.revealSubscription({ business_unit_id: unitId, bu_webhook_id: id }),
    onSuccess: (revealed) => setValue(revealed.secret),
  })
  const hide = useCallback(() => setValue(undefined), [])
  if (value !== undefined) return <Secret label="the signing secret" value={value} onHide={hide} />
  return (
    <div className="stack">
      <span className="row">
        <code>{foreign(secret)}</code>
        <ActionButton operation="revealSubscription" onClick={() => reveal.run(undefined)}>
          Reveal
        </ActionButton>
      </span>
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}
