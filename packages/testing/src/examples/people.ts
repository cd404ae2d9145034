import { randomUUID } from 'node:crypto'
import type { Scenario } from './scenario.ts'

const invited = 'grace@example.com'

/** Users, their invitations and their sessions, in the session of an administrator where one is needed. */
export async function recordPeople({ recorder, roleIds, signIn }: Scenario): Promise<void> {
  const role_ids = [roleIds.get('viewer') ?? '']
  const creation = { body: { email: invited, role_ids } }
  const { id: user_invitation_id } = await recorder.record('createUserInvitation', creation)
  const path = { user_invitation_id }
  await recorder.recordWhen('readUserInvitation', { path }, ({ last_sent_at }) => last_sent_at !== null)
  await recorder.reject('user_invitation_exists', 'createUserInvitation', creation)
  await recorder.reject('resend_too_soon', 'resendUserInvitation', { path })
  await recorder.reject('session_required', 'createSessionToken')
  await recorder.record('listSignInProviders')
  const administrator = await signIn('ada')
  await recorder.record('readSelf', { headers: administrator })
  await recorder.record('listSessions', { headers: administrator, query: { limit: 2 } })
  await recorder.record('createSessionToken', { headers: administrator })
  await recorder.send('createUserInvitation', { body: { email: 'dev@juniper.example', role_ids } })
  await signIn('dev')
  const { data } = await recorder.record('listUsers', { query: { limit: 2 } })
  const user = { user_id: data.find(({ email }: any) => email === 'dev@juniper.example').id }
  await recorder.record('readUser', { path: user })
  await recorder.record('updateUser', { path: user, body: { role_ids: [roleIds.get('admin') ?? ''] } })
  await recorder.reject('already_member', 'createUserInvitation', {
    body: { email: 'dev@juniper.example', role_ids },
  })
  const sessions = await recorder.send('listSessions', { query: { user_id: user.user_id } })
  const session = { session_id: sessions.data[0].id }
  await recorder.record('readSession', { path: session })
  await recorder.record('endSession', { path: session })
  await recorder.reject('session_not_found', 'readSession', { path: session })
  await recorder.record('endSessionsOfUser', { path: user })
  await recorder.record('removeUser', { path: user })
  await recorder.reject('user_not_found', 'readUser', { path: { user_id: randomUUID() } })
  await recorder.recordAfter(409, 'resendUserInvitation', { path })
  await recorder.record('listUserInvitations', { query: { limit: 2, status: 'open' } })
  await recorder.record('cancelUserInvitation', { path })
  await recorder.reject('user_invitation_not_open', 'resendUserInvitation', { path })
}
