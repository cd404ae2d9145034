import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { text } from '../../grammar/field.ts'
import { publicRoute } from '../../grammar/route.ts'
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
    ...publicRoute('GET', '/session/sign-in'),
    summary: 'Show the sign-in providers, or begin the sign-in at one.',
    query: z.object({
      provider: z.string().max(64).optional().describe('Identifier of a sign-in provider.'),
      return_to: returnTo,
      tenant_id: tenantOfPage,
      invitation: signIn.describe('Identifier of the opened link of a user invitation.'),
    }),
    cookies,
    page: [200, 303, 400, 403, 404, 410, 503],
    replies: {},
  },
  completeSignIn: {
    ...publicRoute('GET', '/session/callback/{provider_id}'),
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
    page: [303, 400, 403, 409, 410, 503],
    replies: {},
    changesAuthorization: true,
  },
  stepUp: {
    ...publicRoute('GET', '/session/step-up'),
    summary: 'Begin a fresh sign-in of the user of the session.',
    query: z.object({ return_to: returnTo, tenant_id: tenantOfPage }),
    cookies,
    page: [303, 400, 403, 503],
    replies: {},
  },
  showTenantChoice: {
    ...publicRoute('GET', '/session/choose-tenant'),
    summary: 'Show the tenants of a person, and the open invitations for their email address.',
    description: 'For a person who has signed in and not chosen a tenant yet, or who has a session.',
    query: z.object({ sign_in: signIn.describe('Identifier of the sign-in.') }),
    cookies,
    page: [200, 303, 400, 403, 410, 503],
    replies: {},
  },
  chooseTenant: {
    ...publicRoute('POST', '/session/choose-tenant'),
    summary: 'Enter a tenant, or accept or decline a user invitation.',
    ...form,
    cookies,
    page: [303, 400, 403, 404, 409, 410, 503],
    replies: {},
    changesAuthorization: true,
  },
  showUserInvitation: {
    ...publicRoute('GET', '/session/accept'),
    summary: 'Show the page behind the link of a user invitation.',
    description: 'The token of the link is a fragment, which no server receives before the person continues.',
    page: [200],
    replies: {},
  },
  acceptUserInvitation: {
    ...publicRoute('POST', '/session/accept'),
    summary: 'Begin the sign-in that accepts a user invitation.',
    ...form,
    cookies,
    page: [303, 400, 404, 409, 410],
    replies: {},
  },
  switchTenant: {
    ...publicRoute('POST', '/session/switch-tenant'),
    summary: 'Replace the session by one in another tenant of the user.',
    ...form,
    cookies,
    page: [303, 400, 403, 503],
    replies: {},
    changesAuthorization: true,
  },
  signOut: {
    ...publicRoute('POST', '/session/sign-out'),
    summary: 'End the session of the browser.',
    ...form,
    cookies,
    page: [303],
    replies: {},
    changesAuthorization: true,
  },
  showSignedOut: {
    ...publicRoute('GET', '/session/signed-out'),
    summary: 'Show that the person is signed out.',
    page: [200],
    replies: {},
  },
  backChannelLogout: {
    ...publicRoute('POST', '/session/back-channel-logout'),
    summary: 'End the sessions that a sign-in provider names (OpenID Connect Back-Channel Logout).',
    ...form,
    calledByServers: true,
    page: [200, 400, 503],
    replies: {},
    changesAuthorization: true,
  },
} as const satisfies Readonly<Record<string, Endpoint>>
