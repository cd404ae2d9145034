import { type Html, html } from '@payments/chassis/base/html'
import type { InvitationOrigin } from '../domain/user-invitation.ts'

/** Names of roles that a page shows; the number of the others follows. */
const roleNamesMax = 10

export interface ShownInvitation {
  /** Null when the names cannot be read. */
  readonly origin: InvitationOrigin | null
  readonly expiresAt: Date
}

/** Inviter, tenant, roles and end of an invitation. */
export function invitationFacts({ origin, expiresAt }: ShownInvitation): Html {
  const host = origin === null ? html`Your organization` : html`<strong><bdi>${origin.tenantName}</bdi></strong>`
  const inviter = origin === null ? null : renderInviter(origin)
  const invites = inviter === null ? html`${host} invites you` : html`${inviter} invites you to ${host},`
  return html`<p>${invites} to manage its payments in Payment Service.</p>
${origin === null || origin.roleNames.length === 0 ? null : html`<p>Your roles: ${roles(origin.roleNames)}.</p>`}
<p>Valid until ${renderTime(expiresAt)}.</p>`
}

function renderInviter({ inviter }: InvitationOrigin): Html | null {
  const { name = null, email = null } = inviter ?? {}
  if (name === null) return email === null ? null : html`<bdi>${email}</bdi>`
  return email === null ? html`<bdi>${name}</bdi>` : html`<bdi>${name}</bdi> (<bdi>${email}</bdi>)`
}

function roles(names: readonly string[]): Html {
  const shown = names.slice(0, roleNamesMax).map((name, index) => html`${index === 0 ? null : ', '}<bdi>${name}</bdi>`)
  const others = names.length - shown.length
  return html`${shown}${others === 0 ? null : ` and ${others} more`}`
}

/** English without a region is European: the day stands before the month. */
const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** The day and the time, with the zone. */
export const renderTime = (instant: Date): Html =>
  html`<time datetime="${instant.toISOString()}">${format.format(instant)} UTC</time>`
