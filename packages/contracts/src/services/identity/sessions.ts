import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { type EventDefinitions, tenantEvent } from '../../grammar/event.ts'
import { id, instant, uuid } from '../../grammar/field.ts'
import { limitMax, page, pageQuery, positionedPageQuery } from '../../grammar/page.ts'
import { authenticatedRoute, publicRoute } from '../../grammar/route.ts'

export const session = z
  .object({
    id: uuid.describe('Identifier of the session.'),
    kind: z.enum(['browser', 'cli']).describe('Program with which the person signed in.'),
    user_id: uuid.describe('User of the session.'),
    created_at: instant.describe('When the session began.'),
    last_seen_at: instant.describe('When the session was last used, to the minute.'),
    authenticated_at: instant.describe('When the user last signed in or stepped up.'),
    expires_at: instant.describe('When the session ends at the latest.'),
    ip: z.string().describe('Address from which the person signed in.'),
    user_agent: z.string().nullable().describe('User-Agent with which the person signed in. Null without one.'),
    current: z.boolean().describe('Whether the request has this session.'),
  })
  .meta({ id: 'Session', description: 'A credential of one user in one tenant, which a sign-in gives.' })

export type Session = z.input<typeof session>

const signInProvider = z
  .object({
    id: z.string().describe('Identifier of the sign-in provider.'),
    name: z.string().describe('Name of the sign-in provider.'),
  })
  .meta({ id: 'SignInProvider', description: 'An OpenID provider at which people sign in.' })

export type SignInProviderName = z.input<typeof signInProvider>

const path = '/v1/identity/sessions'
const onePath = `${path}/{session_id}` as const
const params = z.strictObject({ session_id: id.describe('Identifier of the session.') })

export const sessionEndpoints = {
  listSignInProviders: {
    ...publicRoute('GET', '/v1/identity/providers'),
    summary: 'List the sign-in providers of the platform, by id.',
    query: positionedPageQuery(limitMax),
    replies: { 200: page(signInProvider) },
  },
  listSessions: {
    ...authenticatedRoute('GET', path),
    readsPermissions: 'all',
    summary: 'List the sessions in the tenant: of the caller, or of a user.',
    description:
      'The sessions of another user require user:RemoveUser and the permissions of that user. Without `user_id`, the caller needs a session.',
    query: pageQuery.extend({ user_id: id.optional().describe('A user of the tenant. Default: the caller.') }),
    replies: { 200: page(session) },
    problems: ['session_required', 'user_not_found', 'would_exceed_own_permissions'],
  },
  readSession: {
    ...authenticatedRoute('GET', onePath),
    readsPermissions: 'all',
    summary: 'Read a session of the caller, or of a user of the tenant.',
    description: 'A session of another user requires user:RemoveUser and the permissions of that user.',
    params,
    replies: { 200: session },
    problems: ['session_not_found', 'user_not_found', 'would_exceed_own_permissions'],
  },
  endSession: {
    ...authenticatedRoute('DELETE', onePath),
    readsPermissions: 'all',
    summary: 'End a session. The next request with the session is rejected.',
    description: 'A session of another user requires user:RemoveUser and the permissions of that user.',
    params,
    replies: { 204: null },
    problems: ['session_not_found', 'user_not_found', 'would_exceed_own_permissions'],
    changesAuthorization: true,
  },
  endSessionsOfUser: {
    ...authenticatedRoute('DELETE', '/v1/identity/users/{user_id}/sessions'),
    readsPermissions: 'all',
    summary: 'End all sessions of a user in the tenant, except the session of the request.',
    description: 'The sessions of another user require user:RemoveUser and the permissions of that user.',
    params: z.strictObject({ user_id: id.describe('Identifier of the user.') }),
    replies: { 200: z.object({ ended: z.int().describe('Number of sessions that ended.') }) },
    problems: ['user_not_found', 'would_exceed_own_permissions'],
    changesAuthorization: true,
  },
  createSessionToken: {
    ...authenticatedRoute('POST', '/v1/identity/session/token'),
    summary: 'Create a JWT of the session of the caller.',
    description:
      'For programs that a person starts. The JWT is valid for 15 minutes at most, and no longer than its session: when the session ends, or the roles of the user change, the next request with the JWT is bound by the change. A request with the JWT does not extend the session, and cannot create another JWT.',
    replies: {
      200: z
        .object({
          token: z.string().describe('The JWT, for the header Authorization.'),
          token_type: z.literal('Bearer').describe('Scheme of the header Authorization.'),
          expires_at: instant.describe('When the JWT expires.'),
        })
        .meta({ id: 'SessionToken', description: 'A JWT of a session.' }),
    },
    problems: ['session_required'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>

const sessionEvent = z
  .object({
    session: session
      .pick({ id: true, kind: true, user_id: true, created_at: true, authenticated_at: true, expires_at: true })
      .describe('The session, without address and user agent.'),
  })
  .meta({ id: 'SessionEvent', description: 'Payload of session events.' })

export const sessionEvents = {
  'identity.sessions.create': tenantEvent('A user signed in, stepped up, or switched to the tenant.', sessionEvent),
  'identity.sessions.end': tenantEvent(
    'A session ended before its time: by sign-out, or by a change of the user.',
    sessionEvent,
  ),
} as const satisfies EventDefinitions
