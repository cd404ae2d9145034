import type { PublicCaller } from '@payments/chassis/base/caller'
import type { PageReply } from '@payments/contracts/grammar/contract'
import type { Deps } from '../deps.ts'
import { chooseTenantPage, type TenantChoice } from '../pages/choose-tenant.ts'
import { redirect, renderPage } from '../pages/page.ts'
import { rejectEmbedded } from '../sign-in/browser.ts'
import { type Chooser, resolveChooser } from '../sign-in/chooser.ts'
import { withFailurePage } from '../sign-in/reply-to-failure.ts'
import {
  acceptableInvitations,
  callRbac,
  readActiveNames,
  tenantsMax,
  usableMemberships,
} from '../sign-in/tenant-facts.ts'
import { listMembershipsOfPerson } from '../store/memberships.ts'
import { readOrigin } from '../user-invitation/invitation-origin.ts'

/** Changes nothing. */
export function showTenantChoice(
  deps: Deps,
  caller: PublicCaller,
  query: { readonly sign_in?: string | undefined },
): Promise<PageReply> {
  return withFailurePage(deps, caller, { operation: 'showTenantChoice' }, async (browser) => {
    rejectEmbedded(browser)
    const chooser = await resolveChooser(deps, browser, query.sign_in)
    if ('location' in chooser) return redirect(chooser.location)
    return renderPage(deps.environment, chooseTenantPage(await readChoice(deps, chooser, caller.traceId)))
  })
}

/** Throws SignInFailed when rbac does not respond. */
async function readChoice(deps: Deps, chooser: Chooser, traceId: string): Promise<TenantChoice> {
  const { provider, userId, email, name, tenantId, proof } = chooser
  const { memberships, invitations } = await deps.db.acrossTenants(async (tx) => ({
    invitations: await acceptableInvitations(tx, { provider, email }),
    memberships: userId === null ? [] : await listMembershipsOfPerson(tx, userId),
  }))
  const usable = usableMemberships(provider, memberships).slice(0, tenantsMax)
  const readNames = (rows: readonly { readonly tenantId: string }[]) =>
    callRbac(() => readActiveNames(deps, rows, traceId))
  const [names, inviting] = await Promise.all([readNames(usable), readNames(invitations)])
  const open = invitations.filter((one) => inviting?.has(one.tenantId))
  return {
    signInId: proof?.row.id ?? null,
    person: { name, email },
    currentId: proof === null ? tenantId : null,
    isRequestedTenantLost: proof !== null && tenantId !== null && names?.has(tenantId) !== true,
    tenants: usable.flatMap((one) => {
      const tenantName = names?.get(one.tenantId)
      return tenantName === undefined
        ? []
        : [{ id: one.tenantId, name: tenantName, lastSignedInAt: one.lastSignedInAt }]
    }),
    invitations: await Promise.all(
      open.map(async (one) => ({ id: one.id, expiresAt: one.expiresAt, ...(await readOrigin(deps, one, traceId)) })),
    ),
  }
}
