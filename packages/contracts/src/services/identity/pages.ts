import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { text } from '../../grammar/field.ts'
import { pageRoute } from '../../grammar/route.ts'
import { sessionCookie } from '../../grammar/session-value.ts'

/** Binds a sign-in to the browser that began it: `SameSite=Lax`, ten minutes. */
export const signInCookie = '__Host-sign-in'
const cookies = [sessionCookie, signInCookie] as const

/** Where a sign-in may lead to: a page of the console. */
export const returnToForm = /^\/console(?:\/[\w\-./?=&%]*)?$/
const returnTo = z.string().max(512).optional().describe('Page of the console after the sign-in.')
const signIn = z.string().max(64).optional()

const formLimits = { bodyBytesMax: 8 * 1024, bodyTimeoutMs: 5_000 } as const
const form = { rawBody: { headers: ['content-type'] }, ...formLimits } as const

const tenantOfPage = z.string().max(64).optional().describe('Tenant of the page that requests the sign-in.')

/** For people, in a browser. A query is lenient: each fault gets a page. */
export const pageEndpoints = {
  beginSignIn: {
    ...pageRoute('GET', '/session/sign-in', 200, 303, 400, 403, 404, 410, 503),
    summary: 'Show the sign-in providers, or begin the sign-in at one.',
    query: z.object({
      provider: z.string().max(64).optional().describe('Identifier of a sign-in provider.'),
      return_to: returnTo,
      tenant_id: tenantOfPage,
      invitation: signIn.describe('Identifier of the opened link of a user invitation.'),
    }),
    cookies,
  },
  completeSignIn: {
    ...pageRoute('GET', '/session/callback/{provider_id}', 303, 400, 403, 409, 410, 503),
    summary: 'Complete a sign-in with the response of the sign-in provider.',
    description:
      'Each sign-in provider has its own redirect URI, so that the response of one is never taken for that of another.',
    params: z.object({ provider_id: text(64).describe('Identifier of the sign-in provider.') }),
    query: z.object({
      code: z.string().max(4_096).optional().describe('Authorization code of the sign-in provider.'),
      state: z.string().max(512).optional().describe('State of the sign-in.'),
      iss: z.string().max(512).optional().describe('Issuer of the response (RFC 9207).'),
      error: z.string().max(200).optional().describe('Error code of the sign-in provider.'),
      error_description: z.string().max(1_000).optional().describe('Description of the error.'),
    }),
    cookies,
    changesAuthorization: true,
  },
  stepUp: {
    ...pageRoute('GET', '/session/step-up', 303, 400, 403, 503),
    summary: 'Begin a fresh sign-in of the user of the session.',
    query: z.object({ return_to: returnTo, tenant_id: tenantOfPage }),
    cookies,
  },
  showTenantChoice: {
    ...pageRoute('GET', '/session/choose-tenant', 200, 303, 400, 403, 410, 503),
    summary: 'Show the tenants of a person, and the open invitations for their email address.',
    description: 'For a person who has signed in and not chosen a tenant yet, or who has a session.',
    query: z.object({ sign_in: signIn.describe('Identifier of the sign-in.') }),
    cookies,
  },
  chooseTenant: {
    ...pageRoute('POST', '/session/choose-tenant', 303, 400, 403, 404, 409, 410, 503),
    summary: 'Enter a tenant, or accept or decline a user invitation.',
    ...form,
    cookies,
    changesAuthorization: true,
  },
  showUserInvitation: {
    ...pageRoute('GET', '/session/accept', 200),
    summary: 'Show the page behind the link of a user invitation.',
    description: 'The token of the link is a fragment, which no server receives before the person continues.',
  },
  acceptUserInvitation: {
    ...pageRoute('POST', '/session/accept', 303, 400, 404, 409, 410),
    summary: 'Begin the sign-in that accepts a user invitation.',
    ...form,
    cookies,
  },
  switchTenant: {
    ...pageRoute('POST', '/session/switch-tenant', 303, 400, 403, 503),
    summary: 'Replace the session by one in another tenant of the user.',
    ...form,
    cookies,
    changesAuthorization: true,
  },
  signOut: {
    ...pageRoute('POST', '/session/sign-out', 303),
    summary: 'End the session of the browser.',
    ...form,
    cookies,
    changesAuthorization: true,
  },
  showSignedOut: {
    ...pageRoute('GET', '/session/signed-out', 200),
    summary: 'Show that the person is signed out.',
  },
  backChannelLogout: {
    ...pageRoute('POST', '/session/back-channel-logout', 200, 400, 503),
    summary: 'End the sessions that a sign-in provider names (OpenID Connect Back-Channel Logout).',
    ...form,
    calledByServers: true,
    changesAuthorization: true,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
