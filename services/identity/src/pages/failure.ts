import { type Html, html } from '@payments/chassis/base/html'
import type { PageStatus } from '@payments/contracts/grammar/contract'
import { consolePath } from '../domain/sign-in.ts'
import type { SignInFailure } from '../domain/sign-in-failure.ts'
import type { Page } from './page.ts'
import { pathToRetry, type RetryTarget } from './paths.ts'

interface FailureText {
  readonly status: PageStatus
  readonly title: string
  /** The cause, and the next step of the person. */
  readonly text: string
  /** Effect of the button. Default: the sign-in begins again. */
  readonly action?: 'retry' | 'console' | 'none'
}

const contactAdministrator = 'Contact an administrator of your organization.'
const requestInvitation = 'request a new one from an administrator of your organization.'

const texts: Readonly<Record<SignInFailure, FailureText>> = {
  denied: {
    status: 403,
    title: 'The sign-in was canceled',
    text: 'You or your sign-in provider canceled the sign-in. You can begin again, or choose another account.',
  },
  unreadable: {
    status: 400,
    title: 'The request cannot be read',
    text: 'The form or the link is not complete. Nothing was changed. Go back, and try again.',
    action: 'none',
  },
  embedded: {
    status: 403,
    title: 'Open this page in a tab of its own',
    text: 'Another page tried to load the sign-in in itself. Nothing was changed.',
    action: 'none',
  },
  other_browser: {
    status: 400,
    title: 'This browser did not begin the sign-in',
    text: 'For your security, a sign-in ends in the browser in which it began. Cookies must be switched on. Begin again.',
  },
  not_open: {
    status: 410,
    title: 'This sign-in is over',
    text: 'The sign-in was completed before, was canceled, or took longer than ten minutes. Open the console: it leads to the sign-in where you are not signed in.',
    action: 'console',
  },
  invalid: {
    status: 400,
    title: 'The sign-in provider did not confirm who you are',
    text: `The response of the provider is not valid, so you are not signed in. Begin again. If it happens again, contact an administrator.`,
  },
  clock: {
    status: 400,
    title: 'The clocks do not match',
    text: 'The time of your sign-in provider differs from ours, so the sign-in cannot be checked. Begin again in a minute. If it happens again, contact an administrator, who can check the clocks.',
  },
  stale: {
    status: 403,
    title: 'The sign-in provider did not confirm you again',
    text: 'The operation needs a sign-in of this moment, but the provider reported an older one. Sign out at your provider, then begin again.',
  },
  unverified_email: {
    status: 403,
    title: 'Your email address is not verified',
    text: 'Your sign-in provider does not report your email address as verified. Verify the address at the provider, then begin again.',
  },
  email_domain: {
    status: 403,
    title: 'This account cannot be used here',
    text: 'The email address belongs to a domain that this environment does not accept. If you are signed in, sign out. Then sign in with the account of your organization.',
  },
  other_email: {
    status: 403,
    title: 'The invitation is for another email address',
    text: 'You signed in with another email address than the invited one. Nothing was accepted. Sign in with the invited address, or request an invitation of this one.',
  },
  not_invited: {
    status: 403,
    title: 'You are not a user yet',
    text: `No organization has invited you, or you were removed. If you got an invitation, sign in with the email address that it was sent to. If not, contact an administrator of your organization.`,
  },
  disabled: {
    status: 403,
    title: 'Your access is disabled',
    text: `An administrator disabled your access, or removed you. ${contactAdministrator}`,
  },
  not_claimed: {
    status: 403,
    title: 'Your account has no access',
    text: `Your sign-in provider names no organization and roles for you here. ${contactAdministrator}`,
  },
  too_many_users: {
    status: 409,
    title: 'Your organization has too many users',
    text: `The organization cannot have more users. ${contactAdministrator}`,
  },
  provider_not_for_tenant: {
    status: 403,
    title: 'This sign-in provider is not for your organization',
    text: 'Your organization signs in at another provider. If you are signed in, sign out. Then begin again, and choose it.',
  },
  tenant_suspended: {
    status: 403,
    title: 'Your organization is suspended',
    text: 'The organization cannot be used at the moment. Contact the operator of this service.',
  },
  other_person: {
    status: 403,
    title: 'You signed in as another person',
    text: 'To confirm the operation, the person of the session must sign in again. Your session is unchanged.',
    action: 'console',
  },
  session_ended: {
    status: 410,
    title: 'Your session has ended',
    text: 'The session ended while you confirmed your sign-in. Sign in again.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The sign-in provider is not available',
    text: 'The provider does not respond as expected. Try again in a minute. If it lasts, contact an administrator.',
  },
  unavailable: {
    status: 503,
    title: 'Sign-in is not available at the moment',
    text: 'A part of the service does not respond. Nothing was changed. Try again in a minute.',
  },
  unknown_provider: {
    status: 404,
    title: 'There is no such sign-in provider',
    text: 'The link names a provider that this environment does not have.',
  },
  invitation_unknown: {
    status: 404,
    title: 'This invitation does not exist',
    text: `Check that you opened the whole link from the message. If you did, ${requestInvitation}`,
    action: 'none',
  },
  invitation_accepted: {
    status: 409,
    title: 'This invitation was accepted before',
    text: 'If you accepted it, sign in. If not, contact an administrator of your organization.',
  },
  invitation_closed: {
    status: 410,
    title: 'This invitation is not open any more',
    text: `An invitation ends after seven days, and when it is canceled or accepted. Sign in if you accepted it, or ${requestInvitation}`,
    action: 'none',
  },
  invitation_declined: {
    status: 410,
    title: 'This invitation was declined',
    text: `You declined the invitation. If you want to accept it after all, ${requestInvitation}`,
    action: 'none',
  },
  not_a_member: {
    status: 403,
    title: 'You cannot use this organization',
    text: `You are not a user of the organization, or your access to it is disabled. Your session is unchanged. ${contactAdministrator}`,
    action: 'console',
  },
}

/** The page of a failure. `target`: what the repeated sign-in has. */
export function failurePage(failure: SignInFailure, target: RetryTarget): Page {
  const { status, title, text, action = 'retry' } = texts[failure]
  return { status, title, main: html`<p>${text}</p>${renderAction(action, target)}` }
}

function renderAction(action: FailureText['action'], target: RetryTarget): Html | null {
  if (action === 'none') return null
  if (action === 'console')
    return html`<p class="action"><a class="button" href="${consolePath}">Open the console</a></p>`
  return html`<p class="action"><a class="button" href="${pathToRetry(target)}">Begin again</a></p>`
}
