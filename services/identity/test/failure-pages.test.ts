import { expect, test } from '@jest/globals'
import { pageEndpoints } from '@payments/contracts/services/identity/pages'
import type { SignInFailure } from '../src/domain/sign-in-failure.ts'
import { failurePage } from '../src/pages/failure.ts'

type Page = 'beginSignIn' | 'completeSignIn' | 'stepUp' | 'acceptUserInvitation' | 'switchTenant'

/** The pages at which each failure can occur. A new failure does not compile without its pages. */
const pagesOf: Readonly<Record<SignInFailure, readonly [Page, ...Page[]]>> = {
  denied: ['completeSignIn'],
  unreadable: ['acceptUserInvitation', 'switchTenant'],
  other_browser: ['completeSignIn'],
  not_open: ['completeSignIn'],
  invalid: ['completeSignIn'],
  clock: ['completeSignIn'],
  stale: ['completeSignIn'],
  unverified_email: ['completeSignIn'],
  email_domain: ['completeSignIn'],
  other_email: ['completeSignIn'],
  not_invited: ['completeSignIn'],
  several_invitations: ['completeSignIn'],
  disabled: ['completeSignIn', 'switchTenant'],
  not_claimed: ['completeSignIn'],
  too_many_users: ['completeSignIn'],
  provider_not_for_tenant: ['completeSignIn'],
  tenant_suspended: ['completeSignIn'],
  other_person: ['completeSignIn'],
  session_ended: ['completeSignIn'],
  provider_unavailable: ['beginSignIn', 'completeSignIn', 'stepUp'],
  unavailable: ['completeSignIn', 'switchTenant'],
  too_many: ['beginSignIn', 'stepUp', 'acceptUserInvitation'],
  unknown_provider: ['beginSignIn'],
  invitation_unknown: ['acceptUserInvitation'],
  invitation_accepted: ['acceptUserInvitation'],
  invitation_closed: ['completeSignIn', 'acceptUserInvitation'],
  not_a_member: ['switchTenant'],
}

const reachable = Object.entries(pagesOf).flatMap(([failure, pages]) =>
  pages.map((page) => [failure as SignInFailure, page] as const),
)

test.each(reachable)('the contract declares the status of the failure %s at %s', (failure, page) => {
  expect(pageEndpoints[page].page).toContain(failurePage(failure, null).status)
})
