import { type Html, html } from '@payments/chassis/base/html'
import type { SessionEnd } from '../domain/session.ts'
import { invitationFacts, type ShownInvitation } from './invitation-facts.ts'
import type { Page } from './page.ts'
import { pathToSignIn, type SignInTarget } from './paths.ts'

export interface ProviderChoice {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly target: SignInTarget
  /** Why the session of the browser ended. Null without such a session. */
  readonly sessionEnd?: SessionEnd | null
  /** The invitation that the sign-in accepts. */
  readonly invitation: (ShownInvitation & { readonly email: string | null }) | null
}

/** Plain links: the page needs no script, and a person sees where each one leads. */
export function chooseProviderPage({ providers, target, sessionEnd = null, invitation }: ProviderChoice): Page {
  const links = providers.map(
    ({ id, name }) =>
      html`<li><a class="button" href="${pathToSignIn(target, id)}"><span>Sign in with <bdi>${name}</bdi></span></a></li>
`,
  )
  return {
    status: 200,
    title: invitation === null ? 'Sign in' : 'Accept your invitation',
    main:
      providers.length === 0
        ? renderNoProvider(invitation)
        : html`${sessionEnd !== null && invitation === null ? html`<p class="notice">${ends[sessionEnd]}</p>` : null}
${renderIntroduction(invitation)}
<ul>${links}</ul>`,
  }
}

const ends: Readonly<Record<SessionEnd, string>> = {
  idle: 'Your session ended because it was not used for some time.',
  expired: 'Your session reached its maximum length.',
  ended_by_user: 'You ended this session from another one.',
  ended_by_administrator: 'An administrator of your organization ended your session.',
  ended_by_operator: 'The operator of this service ended your session.',
  ended_by_provider: 'You signed out at your sign-in provider, or it ended your session.',
  user_disabled: 'An administrator disabled your access to the organization.',
  user_removed: 'You were removed from the organization.',
  too_many_sessions: 'You signed in on many devices, so the session that was not used longest ended.',
  unknown: 'Your session has ended.',
}

function renderIntroduction(invitation: ProviderChoice['invitation']): Html {
  if (invitation === null) return html`<p>Use the account of your organization.</p>`
  const { email } = invitation
  return html`${invitationFacts(invitation)}
<p>Sign in ${email === null ? html`with the invited email address` : html`as <bdi>${email}</bdi>`} to accept. An account with another email address is not accepted.</p>`
}

const renderNoProvider = (invitation: ProviderChoice['invitation']) =>
  invitation === null
    ? html`<p>Sign-in is not set up in this environment. Contact your administrator.</p>`
    : html`<p>No sign-in provider of this environment accepts the invitation. Contact the person who invited you.</p>`
