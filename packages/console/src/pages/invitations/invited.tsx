import type { CreatedCode } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { foreign } from '../../text/format.ts'
import { formatMoney } from '../../text/money.ts'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/values.tsx'

interface InvitedProps {
  readonly code: CreatedCode
  /** Undefined where the person may not read the business unit. */
  readonly unitName: string | undefined
  readonly onAgain: (() => void) | undefined
}

/** The outcome of an invitation, with its link. */
export function Invited({ code, unitName, onAgain }: InvitedProps) {
  const [isShown, setShown] = useState(true)
  const hide = useCallback(() => setShown(false), [])
  return (
    <section className="card stack" aria-label="The invitation">
      <Notice
        tone="good"
        title={`Invited ${foreign(code.recipient)} to pay ${formatMoney(code.amount, code.currency)}.`}
      >
        The message{unitName === undefined ? '' : ` of ${foreign(unitName)}`} is on its way.
      </Notice>
      {isShown && code.url !== null ? (
        <>
          <p>The link. Its holder can see the amount and pay.</p>
          <Secret label="the link" value={code.url} onHide={hide} />
        </>
      ) : (
        <p className="muted">The link is hidden. Reveal it on the page of the invitation.</p>
      )}
      <div className="row">
        <Link to="/invitations/$code_id" params={{ code_id: code.id }} className="button" data-kind="primary">
          Open the invitation
        </Link>
        {onAgain === undefined ? null : (
          <button type="button" onClick={onAgain}>
            Invite another payer
          </button>
        )}
      </div>
    </section>
  )
}
