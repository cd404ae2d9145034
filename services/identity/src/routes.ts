import type { ServiceCaller } from '@payments/chassis/base/caller'
import type { Handlers } from '@payments/chassis/request/router'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import { secretHandlers } from '@payments/service/secret-handlers'
import type { Deps } from './deps.ts'
import type { Operator } from './domain/permissions.ts'
import { encryptedColumns } from './domain/user-invitation.ts'
import { acceptInvitationPage } from './pages/accept-invitation.ts'
import { renderPage } from './pages/page.ts'
import { signedOutPage } from './pages/signed-out.ts'
import { acceptUserInvitation } from './verbs/accept-user-invitation.ts'
import { backChannelLogout } from './verbs/back-channel-logout.ts'
import { beginSignIn } from './verbs/begin-sign-in.ts'
import { cancelUserInvitation } from './verbs/cancel-user-invitation.ts'
import { chooseTenant } from './verbs/choose-tenant.ts'
import { completeSignIn } from './verbs/complete-sign-in.ts'
import { createSessionToken } from './verbs/create-session-token.ts'
import { createUserInvitation } from './verbs/create-user-invitation.ts'
import { endSession } from './verbs/end-session.ts'
import { endSessionsOfTenant } from './verbs/end-sessions-of-tenant.ts'
import { endSessionsOfUser } from './verbs/end-sessions-of-user.ts'
import { eraseUser } from './verbs/erase-user.ts'
import { exportUser } from './verbs/export-user.ts'
import { identifySession } from './verbs/identify-session.ts'
import { inviteFirstUser } from './verbs/invite-first-user.ts'
import { listSignInProviders } from './verbs/list-sign-in-providers.ts'
import { countRoleMembers, readMemberRoles } from './verbs/read-role-members.ts'
import { readSelf } from './verbs/read-self.ts'
import { listSessions, readSession } from './verbs/read-sessions.ts'
import { listUserInvitations, readUserInvitation } from './verbs/read-user-invitations.ts'
import { listUsers, readUser } from './verbs/read-users.ts'
import { recordSessionUses } from './verbs/record-session-uses.ts'
import { removeUser } from './verbs/remove-user.ts'
import { resendUserInvitation } from './verbs/resend-user-invitation.ts'
import { showTenantChoice } from './verbs/show-tenant-choice.ts'
import { signOut } from './verbs/sign-out.ts'
import { stepUp } from './verbs/step-up.ts'
import { switchTenant } from './verbs/switch-tenant.ts'
import { updateUser } from './verbs/update-user.ts'

export const routes = (deps: Deps): Handlers<typeof identityContract> => ({
  readSelf: (caller) => readSelf(deps, caller),
  listUsers: (caller, { query }) => listUsers(deps, caller, query),
  readUser: (caller, { params }) => readUser(deps, caller, params.user_id),
  updateUser: (caller, { params, body }) => updateUser(deps, caller, params.user_id, body),
  removeUser: (caller, { params }) => removeUser(deps, caller, params.user_id),
  createUserInvitation: (caller, { body }) => createUserInvitation(deps, caller, body),
  listUserInvitations: (caller, { query }) => listUserInvitations(deps, caller, query),
  readUserInvitation: (caller, { params }) => readUserInvitation(deps, caller, params.user_invitation_id),
  resendUserInvitation: (caller, { params }) => resendUserInvitation(deps, caller, params.user_invitation_id),
  cancelUserInvitation: (caller, { params }) => cancelUserInvitation(deps, caller, params.user_invitation_id),
  listSessions: (caller, { query: { user_id: userId, ...page } }) => listSessions(deps, caller, page, userId),
  readSession: (caller, { params }) => readSession(deps, caller, params.session_id),
  endSession: (caller, { params }) => endSession(deps, caller, params.session_id),
  endSessionsOfUser: (caller, { params }) => endSessionsOfUser(deps, caller, params.user_id),
  listSignInProviders: async (_, { query }) => listSignInProviders(deps, query),
  createSessionToken: (caller) => createSessionToken(deps, caller),
  // For other processes, and for operators.
  identifySession: (_, { body }) => identifySession(deps, body),
  recordSessionUses: (_, { body }) => recordSessionUses(deps, body.uses),
  readSessionTokenKeys: async () => ({ keys: [...deps.sessionTokens.publicKeys] }),
  countRoleMembers: (_, { params }) => countRoleMembers(deps, params.tenant_id, params.role_id),
  readMemberRoles: (_, { params }) => readMemberRoles(deps, params.tenant_id),
  inviteFirstUser: (caller, { params, body }) => inviteFirstUser(deps, caller, params.tenant_id, body),
  listUsersOfTenant: (caller, { params, query }) => listUsers(deps, operatorIn(params, caller), query),
  listUserInvitationsOfTenant: (caller, { params, query }) =>
    listUserInvitations(deps, operatorIn(params, caller), query),
  removeUserOfTenant: (caller, { params }) => removeUser(deps, operatorIn(params, caller), params.user_id),
  listSessionsOfTenant: (caller, { params, query: { user_id: userId, ...page } }) =>
    listSessions(deps, operatorIn(params, caller), page, userId),
  endSessionsOfTenant: (caller, { params, query }) =>
    endSessionsOfTenant(deps, caller, params.tenant_id, query.user_id),
  exportUser: (_, { params }) => exportUser(deps, params.user_id),
  eraseUser: (caller, { params }) => eraseUser(deps, caller, params.user_id),
  ...secretHandlers(encryptedColumns, deps),
  // For a browser, before the person has a credential.
  beginSignIn: (caller, { query }) => beginSignIn(deps, caller, query),
  completeSignIn: (caller, { params, query }) => completeSignIn(deps, caller, params.provider_id, query),
  stepUp: (caller, { query }) => stepUp(deps, caller, query),
  showTenantChoice: (caller, { query }) => showTenantChoice(deps, caller, query),
  chooseTenant: (caller, { raw }) => chooseTenant(deps, caller, raw),
  // Changes nothing, so scanners of mail may open the link.
  showUserInvitation: async () => renderPage(deps.environment, acceptInvitationPage()),
  acceptUserInvitation: (caller, { raw }) => acceptUserInvitation(deps, caller, raw),
  switchTenant: (caller, { raw }) => switchTenant(deps, caller, raw),
  signOut: (caller) => signOut(deps, caller),
  showSignedOut: async () => renderPage(deps.environment, signedOutPage()),
  backChannelLogout: (caller, { raw }) => backChannelLogout(deps, caller, raw),
})

const operatorIn = ({ tenant_id: tenantId }: { tenant_id: string }, { traceId }: ServiceCaller): Operator => ({
  tenantId,
  traceId,
  actor: null,
  sessionId: null,
})
