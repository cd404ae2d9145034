import { rotationProblems } from '../../endpoints/key-rotation.ts'
import { defineProblems } from '../../grammar/problem.ts'
import { administratorProblems } from '../../problems/administrators.ts'
import { resendProblems } from '../../problems/resend.ts'
import { unknownRoleProblems } from '../../problems/unknown-role.ts'

export const problems = defineProblems({
  user_not_found: {
    status: 404,
    title: 'User not found',
    explanation: 'The tenant has no user with this id. The user may have been removed.',
  },
  user_invitation_not_found: {
    status: 404,
    title: 'User invitation not found',
    explanation: 'The tenant has no user invitation with this id.',
  },
  session_not_found: {
    status: 404,
    title: 'Session not found',
    explanation: 'No session that you may see has this id. The session may have ended.',
  },
  already_member: {
    status: 409,
    title: 'The tenant has a user with this email address',
    explanation: 'Change the roles of the user instead of inviting them again. Enable a disabled user.',
  },
  user_invitation_exists: {
    status: 409,
    title: 'An invitation for this email address is open',
    explanation: 'Send the open invitation again, or cancel the invitation first.',
  },
  user_invitation_not_open: {
    status: 409,
    title: 'The invitation is not open',
    explanation:
      'The invitation was accepted, declined or canceled, or has expired. After an acceptance, the person is a user: change the roles of the user. Otherwise, invite the person again.',
  },
  too_many_users: {
    status: 409,
    title: 'Too many users',
    explanation:
      'A tenant has 1 000 seats for users and open invitations: remove users, or cancel invitations. One caller can have open invitations for half of the seats that the others leave.',
  },
  session_required: {
    status: 403,
    title: 'The operation requires a session',
    explanation:
      'The credential is an API key or the JWT of another issuer: only a person who signed in has a session. A session token cannot create another one.',
  },
  tenant_not_found: {
    status: 404,
    title: 'Tenant not found',
    explanation: 'No tenant has this id.',
  },
  ...resendProblems,
  ...administratorProblems,
  ...unknownRoleProblems,
  ...rotationProblems,
})
