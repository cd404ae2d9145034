import type { Handlers } from '@payments/chassis/request/router'
import type { identityContract } from '@payments/contracts/services/identity/contract'
import type { pageEndpoints } from '@payments/contracts/services/identity/pages'
import type { Deps } from './deps.ts'
import { acceptUserInvitation } from './verbs/accept-user-invitation.ts'
import { backChannelLogout } from './verbs/back-channel-logout.ts'
import { beginSignIn } from './verbs/begin-sign-in.ts'
import { completeSignIn } from './verbs/complete-sign-in.ts'
import { listSignInProviders } from './verbs/list-sign-in-providers.ts'
import { showSignedOut } from './verbs/show-signed-out.ts'
import { showUserInvitation } from './verbs/show-user-invitation.ts'
import { signOut } from './verbs/sign-out.ts'
import { stepUp } from './verbs/step-up.ts'
import { switchTenant } from './verbs/switch-tenant.ts'

/** For people, in a browser, before they have a credential. */
export const browserRoutes = (
  deps: Deps,
): Pick<Handlers<typeof identityContract>, keyof typeof pageEndpoints | 'listSignInProviders'> => ({
  beginSignIn: (caller, { query }) => beginSignIn(deps, caller, query),
  completeSignIn: (caller, { query }) => completeSignIn(deps, caller, query),
  stepUp: (caller, { query }) => stepUp(deps, caller, query),
  showUserInvitation: async () => showUserInvitation(deps),
  acceptUserInvitation: (caller, { raw }) => acceptUserInvitation(deps, caller, raw),
  switchTenant: (caller, { raw }) => switchTenant(deps, caller, raw),
  signOut: (caller) => signOut(deps, caller),
  showSignedOut: async () => showSignedOut(deps),
  backChannelLogout: (caller, { raw }) => backChannelLogout(deps, caller, raw),
  listSignInProviders: async () => listSignInProviders(deps),
})
