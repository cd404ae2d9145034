import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useCallback, useState } from 'react'
import { useAction } from '../../session/action.ts'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Facts } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'
import { toShownParts } from './schemes.ts'

/** The masked credentials, and the full ones on request. */
export function RevealAuthInfo({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const [revealed, setRevealed] = useState<WebhookAuthInfo>()
  const reveal = useAction({
    call: () => api.revealAuthInfo({ webhook_auth_info_id: authInfo.id }),
    onSuccess: setRevealed,
  })
  const hide = useCallback(() => setRevealed(undefined), [])
  return (
    <div className="stack">
      <Facts
        facts={Object.fromEntries(
          toShownParts(revealed ?? authInfo).map(({ label, value, isSecret }) => [
            foreign(label),
            isSecret && revealed !== undefined ? (
              <Secret label={`the value of ${foreign(label)}`} value={value} onHide={hide} />
            ) : (
              <code>{foreign(value)}</code>
            ),
          ]),
        )}
      />
      {revealed === undefined ? (
        <div>
          <ActionButton operation="revealAuthInfo" onClick={() => reveal.run(undefined)}>
            Reveal
          </ActionButton>
        </div>
      ) : null}
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}
