import { type Html, html } from '@payments/chassis/base/html'
import type { InvitationOrigin } from '../domain/user-invitation.ts'
import { invitationFacts, renderTime } from './invitation-facts.ts'
import type { Page } from './page.ts'
import { pathToSignIn, switchTenantPath, tenantChoicePath } from './paths.ts'

export interface TenantChoice {
  /** The sign-in that proved the person. Null in a session. */
  readonly signInId: string | null
  readonly person: { readonly name: string | null; readonly email: string | null }
  /** The tenant of the session. */
  readonly currentId: string | null
  /** Whether the person cannot enter the tenant of the page that requested the sign-in. */
  readonly isRequestedTenantLost: boolean
  /** In the order of choice: the last one first. */
  readonly tenants: readonly { readonly id: string; readonly name: string; readonly lastSignedInAt: Date | null }[]
  readonly invitations: readonly (InvitationOrigin & { readonly id: string; readonly expiresAt: Date })[]
}

/** Plain forms: the page needs no script. */
export function chooseTenantPage(choice: TenantChoice): Page {
  const { tenants, invitations, isRequestedTenantLost, signInId } = choice
  return {
    status: 200,
    title: tenants.length === 0 && invitations.length > 0 ? 'You are invited' : 'Choose an organization',
    main: html`${isRequestedTenantLost ? html`<p class="notice">You cannot use the organization of the page that you came from: you are not a user of it, your access is disabled, or it is suspended.</p>` : null}
${signedInAs(choice)}
${tenants.length === 0 ? null : tenantForm(choice)}
${
  invitations.length === 0
    ? null
    : html`<h2>Invitations</h2>
<p>You join an organization only if you accept.</p>
${invitations.map((one) => invitationForm(one, signInId))}`
}
${tenants.length + invitations.length === 0 ? html`<p>There is no organization to choose, and no open invitation. Contact an administrator of your organization.</p>` : null}
${signInId === null ? null : html`<p class="action"><a class="button quiet" href="${pathToSignIn({})}">Sign in with another account</a></p>`}`,
  }
}

function signedInAs({ person: { name, email } }: TenantChoice): Html | null {
  const shown = name ?? email
  if (shown === null) return null
  const address = name === null || email === null ? null : html` (<bdi>${email}</bdi>)`
  return html`<p>You signed in as <bdi>${shown}</bdi>${address}.</p>`
}

const signInField = (signInId: string | null) =>
  signInId === null ? null : html`<input type="hidden" name="sign_in" value="${signInId}">`

function tenantForm({ tenants, signInId, currentId }: TenantChoice): Html {
  const buttons = tenants.map(
    ({ id, name, lastSignedInAt }) =>
      html`<li><button name="tenant_id" value="${id}"><span><bdi>${name}</bdi>${renderNote(id === currentId, lastSignedInAt)}</span></button></li>
`,
  )
  return html`<form method="post" action="${signInId === null ? switchTenantPath : tenantChoicePath}">
${signInField(signInId)}<ul>${buttons}</ul>
</form>`
}

function renderNote(isCurrent: boolean, lastSignedInAt: Date | null): Html | null {
  if (isCurrent) return html` <small>open in this browser</small>`
  return lastSignedInAt === null ? null : html` <small>last sign-in ${renderTime(lastSignedInAt)}</small>`
}

function invitationForm(invitation: TenantChoice['invitations'][number], signInId: string | null): Html {
  const { id, tenantName, expiresAt } = invitation
  return html`<section class="notice" aria-label="Invitation of ${tenantName}">
${invitationFacts({ origin: invitation, expiresAt })}
<form method="post" action="${tenantChoicePath}">
${signInField(signInId)}<button name="accept" value="${id}" aria-label="Accept the invitation of ${tenantName}">Accept</button>
<button class="quiet" name="decline" value="${id}" aria-label="Decline the invitation of ${tenantName}">Decline</button>
</form>
</section>
`
}
