import type { Session } from '@payments/client/schemas'
import { List, listQuery } from '../../layout/list.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { Notice } from '../../ui/notice.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { programOf } from './program.ts'

/** The sessions of a user in the tenant; of the person who reads the page where no user is given. */
export function SessionList({ userId }: { userId?: string }) {
  const { actor } = useSelf()
  const ownerId = userId ?? actor.id
  const end = useAction({ call: (sessionId: string) => api.endSession({ session_id: sessionId }) })
  const endAll = useAction({ call: (id: string) => api.endSessionsOfUser({ user_id: id }) })
  const failure = end.failure ?? endAll.failure
  const columns: readonly Column<Session>[] = [
    {
      name: 'Program',
      width: 'minmax(0, 2fr)',
      cell: ({ user_agent, kind, current }) => (
        <span className="row" title={foreign(user_agent ?? kind)}>
          {foreign(programOf(user_agent ?? kind))}
          {current ? (
            <span className="badge" data-tone="good">
              this one
            </span>
          ) : null}
        </span>
      ),
    },
    { name: 'Address', width: '9rem', cell: ({ ip }) => <code>{foreign(ip)}</code> },
    { name: 'Last used', width: '8rem', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { name: 'Ends', width: '8rem', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      name: '',
      width: '5rem',
      cell: ({ id, current, created_at }) =>
        current ? null : (
          <button
            type="button"
            aria-label={`End the session of ${created_at}`}
            disabled={end.isRunning}
            onClick={() => end.run(id)}
          >
            End
          </button>
        ),
    },
  ]
  return (
    <>
      {failure === undefined ? null : <Notice tone="bad">{failure}</Notice>}
      <List
        label="Sessions"
        query={listQuery<Session>({
          key: ['sessions', ownerId],
          read: (cursor, signal) =>
            api
              .listSessions({ limit: 50, user_id: ownerId, ...(cursor === undefined ? {} : { cursor }) }, { signal })
              .page(),
        })}
        columns={columns}
        idOf={({ id }) => id}
        empty={<p className="muted">No session is open.</p>}
      />
      <div>
        <button type="button" disabled={endAll.isRunning} onClick={() => endAll.run(ownerId)}>
          {ownerId === actor.id ? 'End all other sessions' : 'End all sessions'}
        </button>
      </div>
    </>
  )
}
