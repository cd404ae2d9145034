import { expect, test } from '@jest/globals'
import { pageEndpoints } from '@payments/contracts/services/identity/pages'
import type { SignInFailure } from '../src/domain/sign-in-failure.ts'
import { failurePage } from '../src/pages/failure.ts'

type Page =
  | 'beginSignIn'
  | 'completeSignIn'
  | 'stepUp'
  | 'acceptUserInvitation'
  | 'switchTenant'
  | 'showTenantChoice'
  | 'chooseTenant'

/** The pages at which each failure can occur. A new failure does not compile without its pages. */
const pagesByFailure: Readonly<Record<SignInFailure, readonly [Page, ...Page[]]>> = {
  denied: ['completeSignIn'],
  unreadable: ['acceptUserInvitation', 'switchTenant', 'showTenantChoice', 'chooseTenant'],
  embedded: ['beginSignIn', 'completeSignIn', 'stepUp', 'showTenantChoice'],
  other_browser: ['completeSignIn'],
  not_open: ['completeSignIn', 'showTenantChoice', 'chooseTenant'],
  invalid: ['completeSignIn'],
  clock: ['completeSignIn'],
  stale: ['completeSignIn'],
  unverified_email: ['completeSignIn', 'chooseTenant'],
  email_domain: ['completeSignIn', 'chooseTenant'],
  other_email: ['completeSignIn', 'chooseTenant'],
  not_invited: ['completeSignIn', 'chooseTenant'],
  disabled: ['completeSignIn', 'switchTenant', 'chooseTenant'],
  not_claimed: ['completeSignIn'],
  too_many_users: ['completeSignIn'],
  provider_not_for_tenant: ['completeSignIn', 'chooseTenant'],
  tenant_suspended: ['completeSignIn', 'chooseTenant'],
  other_person: ['completeSignIn'],
  session_ended: ['completeSignIn'],
  provider_unavailable: ['beginSignIn', 'completeSignIn', 'stepUp', 'showTenantChoice', 'chooseTenant'],
  unavailable: ['completeSignIn', 'switchTenant', 'showTenantChoice', 'chooseTenant'],
  unknown_provider: ['beginSignIn'],
  invitation_unknown: ['acceptUserInvitation', 'chooseTenant'],
  invitation_accepted: ['acceptUserInvitation'],
  invitation_closed: ['beginSignIn', 'completeSignIn', 'acceptUserInvitation', 'chooseTenant'],
  invitation_declined: ['beginSignIn', 'acceptUserInvitation'],
  not_a_member: ['switchTenant'],
}

const reachable = Object.entries(pagesByFailure).flatMap(([failure, pages]) =>
  pages.map((page) => [failure as SignInFailure, page] as const),
)

test.each(reachable)('the contract declares the status of the failure %s at %s', (failure, page) => {
  expect(pageEndpoints[page].page).toContain(failurePage(failure, {}).status)
})
