import type { Session } from '@payments/client/schemas'
import { useState } from 'react'
import { Confirm } from '../../layout/actions.tsx'
import { List } from '../../layout/list.tsx'
import { api } from '../../session/api.ts'
import { useSelf } from '../../session/self.ts'
import { foreign, nameProgram } from '../../text/format.ts'
import { Badge, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'

/** The sessions of a user in the tenant; of the person who reads the page where no user is given. */
export function SessionList({ userId }: { userId?: string }) {
  const { actor } = useSelf()
  const ownerId = userId ?? actor.id
  const [ending, setEnding] = useState<Session | 'all'>()
  const allText = ownerId === actor.id ? 'End all other sessions' : 'End all sessions'
  const columns: readonly Column<Session>[] = [
    {
      name: 'Program',
      width: 'minmax(0, 2fr)',
      cell: ({ user_agent, kind, current }) => (
        <span className="row" title={foreign(user_agent ?? kind)}>
          {foreign(nameProgram(user_agent ?? kind))}
          {current ? <Badge tone="good">this one</Badge> : null}
        </span>
      ),
    },
    { name: 'Address', width: '9rem', cell: ({ ip }) => <code>{foreign(ip)}</code> },
    { name: 'Last used', width: '8rem', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { name: 'Ends', width: '8rem', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: '',
      width: '5rem',
      cell: (session) =>
        session.current ? null : (
          <button
            type="button"
            aria-label={`End the session of ${session.created_at}`}
            onClick={() => setEnding(session)}
          >
            End
          </button>
        ),
    },
  ]
  return (
    <>
      <List
        label="Sessions"
        operation="listSessions"
        topic="sessions"
        args={{ user_id: ownerId }}
        columns={columns}
        empty={<p className="muted">No session is open.</p>}
      />
      <div>
        <button type="button" onClick={() => setEnding('all')}>
          {allText}
        </button>
      </div>
      {ending === undefined ? null : (
        <Confirm
          title={ending === 'all' ? `${allText}?` : 'End this session?'}
          submit={ending === 'all' ? allText : 'End the session'}
          call={() => endSessions(ending, ownerId)}
          effect="What is open there ends with its next request, and its person has to sign in again."
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  )
}

const endSessions = (ending: Session | 'all', userId: string) =>
  ending === 'all' ? api.endSessionsOfUser({ user_id: userId }) : api.endSession({ session_id: ending.id })
