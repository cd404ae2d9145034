import type { Browser, PublicCaller } from '@payments/chassis/base/caller'
import { databaseNow } from '@payments/chassis/database/database-now'
import type { PageReply, RawBody } from '@payments/contracts/grammar/contract'
import { id as idForm } from '@payments/contracts/grammar/field'
import type { Deps } from '../deps.ts'
import { isInvited } from '../domain/admission.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { statusAt } from '../domain/user-invitation.ts'
import { readField, redirect } from '../pages/page.ts'
import { pathToTenantChoice } from '../pages/paths.ts'
import { type Chooser, resolveChooser } from '../sign-in/chooser.ts'
import { enter } from '../sign-in/enter.ts'
import { bindInvitation } from '../sign-in/open-sign-in.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import { findInvitationById } from '../store/user-invitations.ts'
import { declineInvitation } from '../user-invitation/end-invitations.ts'

interface Decision {
  readonly kind: 'tenant_id' | 'accept' | 'decline'
  /** Of the tenant or the invitation. */
  readonly id: string
}

/**
 * A person whom a sign-in has proven enters the tenant, or accepts the invitation. A person with a session accepts as
 * by the link of the mail: the sign-in provider verifies their email address again.
 */
export function chooseTenant(deps: Deps, caller: PublicCaller, raw: RawBody): Promise<PageReply> {
  return withFailurePage(deps, caller, { operation: 'chooseTenant' }, async (browser) => {
    const decision = decisionIn(raw)
    const proven = await resolveChooser(deps, browser, readField('sign_in', raw))
    // Another tab has completed the sign-in: the session declines.
    const isLate = 'location' in proven && decision.kind === 'decline'
    const chooser = isLate ? await resolveChooser(deps, browser, undefined) : proven
    if ('location' in chooser) return redirect(chooser.location)
    const { proof, provider } = chooser
    if (decision.kind === 'decline') return decline(deps, caller, chooser, decision.id)
    if (proof === null) return acceptInSession(deps, browser, chooser, decision)
    const invitationId = decision.kind === 'accept' ? decision.id : null
    const tenantId = decision.kind === 'tenant_id' ? decision.id : null
    return enter(deps, caller, proof.row, { person: proof.person, provider, invitationId, tenantId })
  })
}

/** Throws SignInFailed for a form without exactly one decision. */
function decisionIn(raw: RawBody): Decision {
  const kinds = ['tenant_id', 'accept', 'decline'] as const
  const [decision, ...others] = kinds.flatMap((kind): Decision[] => {
    const written = readField(kind, raw)
    if (written === undefined) return []
    const parsed = idForm.safeParse(written)
    if (!parsed.success) throw new SignInFailed('unreadable')
    return [{ kind, id: parsed.data }]
  })
  if (decision === undefined || others.length > 0) throw new SignInFailed('unreadable')
  return decision
}

async function decline(deps: Deps, caller: PublicCaller, chooser: Chooser, invitationId: string): Promise<PageReply> {
  const { email, proof } = chooser
  const { traceId } = caller
  const { tenantId } = await deps.db.acrossTenants((tx) => declineInvitation(tx, invitationId, { email, traceId }))
  caller.recordTenant(tenantId)
  return redirect(pathToTenantChoice(proof?.row.id))
}

/** A tenant is switched at another page. */
function acceptInSession(deps: Deps, browser: Browser, { email }: Chooser, decision: Decision): Promise<PageReply> {
  if (decision.kind !== 'accept') throw new SignInFailed('unreadable')
  return deps.db.acrossTenants(async (tx) => {
    const invitation = await findInvitationById(tx, decision.id)
    if (invitation === null || !isInvited(invitation, email)) throw new SignInFailed('invitation_unknown')
    if (statusAt(invitation, await databaseNow(tx)) !== 'open') throw new SignInFailed('invitation_closed')
    return bindInvitation(tx, browser, invitation.id)
  })
}
