import { z } from 'zod'
import { reencryptSecretsEndpoint, rewrapDataKeysEndpoint } from '../../endpoints/key-rotation.ts'
import type { Endpoint } from '../../grammar/contract.ts'
import { emailAddress } from '../../grammar/email-address.ts'
import { id, instant, instantInput, tenantParams, text, uuid } from '../../grammar/field.ts'
import { internalRoute } from '../../grammar/route.ts'
import { sessionEndpoints } from './sessions.ts'
import { userEndpoints, userInvitation } from './users.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)

/** The properties of a session that the gateway needs. The gateway decides whether the session is accepted now. */
const identity = z.object({
  session_id: uuid,
  user_id: uuid,
  tenant_id: uuid,
  kind: z.enum(['browser', 'cli']),
  role_ids: z.array(uuid),
  authenticated_at: instant,
  /** When the session ends in any case. */
  expires_at: instant,
  /** When the session ends unless it is used before: as far as identity knows its uses. */
  idle_expires_at: instant,
  /** The longest time between two uses. */
  idle_seconds: z.int().min(1),
})

export type SessionIdentity = z.output<typeof identity>

/** For other processes: the gateway, rbac. */
export const processEndpoints = {
  identifySession: {
    ...internalRoute('POST', '/internal/sessions/identify', 'gateway'),
    summary: 'Find a session by the hash of its value, or by its id.',
    description: 'Null for an unknown session, and for one whose user is disabled or was removed from the tenant.',
    body: z
      .strictObject({ session_hash: hash.optional(), session_id: id.optional() })
      .refine(
        (named) => (named.session_hash === undefined) !== (named.session_id === undefined),
        'must have either session_hash or session_id',
      ),
    replies: { 200: z.object({ session: identity.nullable() }) },
  },
  recordSessionUses: {
    ...internalRoute('POST', '/internal/sessions/uses', 'gateway'),
    summary: 'Record when sessions were used.',
    body: z.strictObject({
      uses: z.array(z.strictObject({ session_id: id, tenant_id: id, used_at: instantInput })).max(1000),
    }),
    replies: { 200: z.object({ recorded: z.int() }) },
  },
  readSessionTokenKeys: {
    ...internalRoute('GET', '/internal/session-token-keys', 'gateway'),
    summary: 'Read the public keys that verify JWTs of sessions (RFC 7517).',
    replies: {
      200: z.object({
        keys: z.array(
          z.object({
            kty: z.literal('EC'),
            crv: z.literal('P-256'),
            x: z.string(),
            y: z.string(),
            kid: z.string(),
            use: z.literal('sig'),
            alg: z.literal('ES256'),
          }),
        ),
      }),
    },
  },
  countRoleMembers: {
    ...internalRoute('GET', '/internal/tenants/{tenant_id}/roles/{role_id}/members', 'rbac'),
    summary: 'Count the users and the open user invitations with a role.',
    params: tenantParams.extend({ role_id: id }),
    replies: { 200: z.object({ count: z.int() }) },
  },
  readMemberRoles: {
    ...internalRoute('GET', '/internal/tenants/{tenant_id}/member-roles', 'rbac'),
    summary: 'Read the different sets of roles that enabled users of a tenant have.',
    params: tenantParams,
    /** At most as many as a tenant has users. */
    replies: { 200: z.object({ role_sets: z.array(z.array(uuid)) }) },
  },
} as const satisfies Readonly<Record<string, Endpoint>>

const userExport = z.object({
  id: uuid,
  email: z.string().nullable(),
  name: z.string().nullable(),
  created_at: instant,
  /** Since when the person is a user of no tenant. */
  unused_since: instant.nullable(),
  subjects: z.array(z.object({ issuer: z.string(), subject: z.string() })),
  memberships: z.array(
    z.object({
      tenant_id: uuid,
      role_ids: z.array(uuid),
      enabled: z.boolean(),
      provider_id: z.string().nullable(),
      created_at: instant,
      created_by: z.string(),
      last_signed_in_at: instant.nullable(),
      sessions_ended_at: instant.nullable(),
    }),
  ),
  invitations: z.array(z.object({ tenant_id: uuid, user_invitation: userInvitation })),
  sessions: z.array(
    z.object({
      tenant_id: uuid,
      id: uuid,
      kind: z.enum(['browser', 'cli']),
      created_at: instant,
      authenticated_at: instant,
      last_seen_at: instant,
      expires_at: instant,
      ip: z.string(),
      user_agent: z.string().nullable(),
      provider_id: z.string(),
      issuer: z.string(),
      subject: z.string(),
      provider_session_id: z.string().nullable(),
    }),
  ),
})

export type UserExport = z.output<typeof userExport>

const erasure = z.object({
  user_id: uuid,
  /** The tenants of which the person was a user. */
  tenant_ids: z.array(uuid),
})

export const operatorEndpoints = {
  inviteFirstUser: {
    ...internalRoute('POST', '/internal/tenants/{tenant_id}/user-invitations', 'payctl'),
    summary: 'Invite a person into a tenant with a role, for operators.',
    description: 'The reply has the link, so that an operator can hand it over where no mail can be sent.',
    params: tenantParams,
    body: z.strictObject({ email: emailAddress, role_name: text(200) }),
    replies: { 201: z.object({ user_invitation: userInvitation, url: z.string() }) },
    location: '/v1/identity/user-invitations/{user_invitation.id}',
    problems: ['tenant_not_found', 'unknown_role', 'already_member', 'user_invitation_exists', 'too_many_users'],
  },
  listUsersOfTenant: {
    ...internalRoute('GET', '/internal/tenants/{tenant_id}/users', 'payctl'),
    summary: 'List the users of a tenant, for operators.',
    params: tenantParams,
    query: userEndpoints.listUsers.query,
    replies: userEndpoints.listUsers.replies,
  },
  listUserInvitationsOfTenant: {
    ...internalRoute('GET', '/internal/tenants/{tenant_id}/user-invitations', 'payctl'),
    summary: 'List the user invitations of a tenant, for operators.',
    params: tenantParams,
    query: userEndpoints.listUserInvitations.query,
    replies: userEndpoints.listUserInvitations.replies,
  },
  removeUserOfTenant: {
    ...internalRoute('DELETE', '/internal/tenants/{tenant_id}/users/{user_id}', 'payctl'),
    summary: 'Remove a user from a tenant, for operators, also the last administrator.',
    params: tenantParams.extend({ user_id: id }),
    replies: { 204: null },
    problems: ['user_not_found'],
    changesAuthorization: true,
  },
  listSessionsOfTenant: {
    ...internalRoute('GET', '/internal/tenants/{tenant_id}/sessions', 'payctl'),
    summary: 'List the sessions of a tenant, or of one of its users, for operators.',
    params: tenantParams,
    query: sessionEndpoints.listSessions.query,
    replies: sessionEndpoints.listSessions.replies,
  },
  endSessionsOfTenant: {
    ...internalRoute('DELETE', '/internal/tenants/{tenant_id}/sessions', 'payctl'),
    summary: 'End the sessions of a tenant, or of one of its users, for operators.',
    params: tenantParams,
    query: z.strictObject({ user_id: id.optional() }),
    replies: { 200: z.object({ ended: z.int() }) },
    changesAuthorization: true,
  },
  exportUser: {
    ...internalRoute('GET', '/internal/users/{user_id}', 'payctl'),
    summary: 'Read everything that identity stores about a person.',
    params: z.strictObject({ user_id: id }),
    replies: { 200: userExport },
    problems: ['user_not_found'],
  },
  eraseUser: {
    ...internalRoute('DELETE', '/internal/users/{user_id}', 'payctl'),
    summary: 'Erase name, email address and subjects of a person, and remove the person from every tenant.',
    description: 'The id of the person stays, so that audit records remain intact.',
    params: z.strictObject({ user_id: id }),
    replies: { 200: erasure },
    problems: ['user_not_found'],
    changesAuthorization: true,
  },
  rewrapDataKeys: rewrapDataKeysEndpoint,
  reencryptSecrets: reencryptSecretsEndpoint,
} as const satisfies Readonly<Record<string, Endpoint>>
