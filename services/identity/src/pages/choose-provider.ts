import { type Html, html } from '@payments/chassis/base/html'
import type { Page } from './page.ts'
import { signInPathOf } from './paths.ts'

export interface ProviderChoice {
  readonly providers: readonly { readonly id: string; readonly name: string }[]
  readonly returnTo: string | null
  /** The browser has a session that has ended. */
  readonly hasEndedSession?: boolean
  /** The invitation that the sign-in accepts. */
  readonly invitation: { readonly tenantName: string | null; readonly email: string | null } | null
}

/** Plain links: the page needs no script, and a person sees where each one leads. */
export function chooseProviderPage({ providers, returnTo, hasEndedSession = false, invitation }: ProviderChoice): Page {
  const links = providers.map(
    ({ id, name }) =>
      html`<li><a class="button" href="${signInPathOf(returnTo, id)}"><span>Sign in with <bdi>${name}</bdi></span></a></li>
`,
  )
  return {
    status: 200,
    title: invitation === null ? 'Sign in' : 'Accept your invitation',
    main:
      providers.length === 0
        ? nothingOf(invitation)
        : html`${hasEndedSession && invitation === null ? sessionEnded : null}
${introductionOf(invitation)}
<ul>${links}</ul>`,
  }
}

const sessionEnded = html`<p>Your session has ended: it was not used for long, reached its end, or was ended elsewhere.</p>`

function introductionOf(invitation: ProviderChoice['invitation']): Html {
  if (invitation === null) return html`<p>Use the account of your organization.</p>`
  const { tenantName, email } = invitation
  const host = tenantName === null ? html`Your organization` : html`<bdi>${tenantName}</bdi>`
  return html`<p>${host} invites you to manage its payments.</p>
<p>Sign in ${email === null ? html`with the invited email address` : html`as <bdi>${email}</bdi>`} to accept. An account with another email address is not accepted.</p>`
}

const nothingOf = (invitation: ProviderChoice['invitation']) =>
  invitation === null
    ? html`<p>Sign-in is not set up in this environment. Contact your administrator.</p>`
    : html`<p>No sign-in provider of this environment accepts the invitation. Contact the person who invited you.</p>`
