import { z } from 'zod'
import type { Endpoint } from '../../grammar/contract.ts'
import { emailAddress } from '../../grammar/email-address.ts'
import { type EventDefinitions, tenantEvent } from '../../grammar/event.ts'
import { id, instant, permission, text, updateBody, uuid } from '../../grammar/field.ts'
import { page, pageQuery } from '../../grammar/page.ts'
import { authenticatedRoute, tenantRoute } from '../../grammar/route.ts'
import { locale } from '../../nouns/locale.ts'
import { session } from './sessions.ts'

const rolesText = 'Roles of the user in the tenant. They decide the permissions of the user.'

const user = z
  .object({
    id: uuid.describe('Identifier of the user.'),
    email: z.string().nullable().describe('Email address that the sign-in provider verified. Null after an erasure.'),
    name: z.string().nullable().describe('Name that the sign-in provider reported. Null without one.'),
    role_ids: z.array(uuid).describe(rolesText),
    enabled: z.boolean().describe('Whether the user may use the tenant.'),
    last_signed_in_at: instant.nullable().describe('When the user last signed in to the tenant. Null means never.'),
    created_at: instant.describe('When the user joined the tenant.'),
    created_by: z.string().describe('Actor that invited the user, or the sign-in provider that reported the user.'),
  })
  .meta({ id: 'User', description: 'A person who signs in, as a member of the tenant.' })

export type User = z.input<typeof user>

export const invitationStatuses = ['open', 'accepted', 'declined', 'canceled', 'expired'] as const
const invitationStatus = z.enum(invitationStatuses).meta({ id: 'UserInvitationStatus' })

export const userInvitation = z
  .object({
    id: uuid.describe('Identifier of the invitation.'),
    email: z.string().nullable().describe('Email address of the invited person. Null after an erasure.'),
    role_ids: z.array(uuid).describe('Roles that the person gets.'),
    locale: z.string().nullable().describe('Language of the mail, as sent. Null means English.'),
    status: invitationStatus.describe('`open` until the invitation is accepted, declined or canceled, or expires.'),
    expires_at: instant.describe('When the link expires.'),
    resend_count: z.int().describe('How often the invitation was sent again.'),
    last_sent_at: instant.nullable().describe('When the mail was last handed over. Null before the first time.'),
    user_id: uuid.nullable().describe('User who accepted the invitation. Null before.'),
    created_at: instant.describe('When the invitation was created.'),
    created_by: z.string().describe('Actor that created the invitation.'),
  })
  .meta({ id: 'UserInvitation', description: 'An invitation of a person into the tenant.' })

export type UserInvitation = z.input<typeof userInvitation>

const self = z
  .object({
    actor: z
      .object({
        type: z.enum(['api_key', 'user']).describe('Kind of the caller.'),
        id: z.string().describe('Identifier of the API key or user, as in audit records.'),
        name: z.string().nullable().describe('Name of the API key or user. Null for the JWT of another issuer.'),
      })
      .describe('The caller.'),
    tenant: z
      .object({
        id: uuid.describe('Identifier of the tenant.'),
        name: z.string().describe('Name of the tenant.'),
        status: z.enum(['active', 'suspended']).describe('Status of the tenant.'),
        created_at: instant.describe('When the tenant was created.'),
      })
      .describe('The tenant of the credential.'),
    environment: z.enum(['dev', 'qa', 'prod']).describe('The environment.'),
    roles: z
      .array(
        z.object({
          id: uuid.describe('Identifier of the role.'),
          name: z.string().describe('Name of the role.'),
        }),
      )
      .describe('Roles of the caller, by name.'),
    permissions: z.array(permission).describe('Permissions that the roles grant, by name.'),
    session: session
      .pick({ id: true, authenticated_at: true, expires_at: true })
      .nullable()
      .describe('The session of the credential. Null for an API key and the JWT of another issuer.'),
    memberships: z
      .array(
        z.object({
          tenant_id: uuid.describe('Identifier of a tenant.'),
          tenant_name: z.string().describe('Name of the tenant.'),
        }),
      )
      .describe('Tenants of the user, at most 100. Empty without a session.'),
    invitations: z
      .array(
        z.object({
          id: uuid.describe('Identifier of an invitation.'),
          tenant_id: uuid.describe('Identifier of the tenant that invites the user.'),
          tenant_name: z.string().describe('Name of the tenant that invites the user.'),
          expires_at: instant.describe('When the invitation expires.'),
        }),
      )
      .describe(
        'Open invitations for the email address of the user, at most 20. The page /session/choose-tenant accepts and declines them. Empty without a session.',
      ),
  })
  .meta({ id: 'Self', description: 'The caller, with tenant, roles and permissions.' })

export type Self = z.input<typeof self>

const userPath = '/v1/identity/users/{user_id}'
const userParams = z.strictObject({ user_id: id.describe('Identifier of the user.') })
const invitationPath = '/v1/identity/user-invitations/{user_invitation_id}'
const invitationParams = z.strictObject({ user_invitation_id: id.describe('Identifier of the invitation.') })
const roleIds = z.array(id).max(50)

export const userEndpoints = {
  readSelf: {
    ...authenticatedRoute('GET', '/v1/identity/self'),
    readsPermissions: 'all',
    summary: 'Read the caller, with tenant, roles and permissions.',
    description: 'For every credential: an API key, a session, a JWT.',
    replies: { 200: self },
    problems: ['tenant_not_found'],
  },
  listUsers: {
    ...tenantRoute('GET', '/v1/identity/users', 'user:ReadUser'),
    summary: 'List the users of the tenant.',
    query: pageQuery.extend({
      email: text(320)
        .optional()
        .describe('Only the user with this email address. ASCII letters are equal in both cases.'),
      search: text(320).optional().describe('Only users whose name or email address has this part, in any case.'),
      role_id: id.optional().describe('Only users with this role.'),
      enabled: z.enum(['true', 'false']).optional().describe('Whether the user may use the tenant.'),
    }),
    replies: { 200: page(user) },
  },
  readUser: {
    ...tenantRoute('GET', userPath, 'user:ReadUser'),
    summary: 'Read a user.',
    params: userParams,
    replies: { 200: user },
    problems: ['user_not_found'],
  },
  updateUser: {
    ...tenantRoute('PATCH', userPath, 'user:UpdateUser'),
    readsPermissions: 'all',
    summary: 'Replace the roles of a user, or enable or disable the user.',
    description:
      'The change applies to the next request of every session of the user. A disabled user keeps their roles, and their sessions in the tenant end. The caller must have the permissions of the user before and after the change.',
    example: { role_ids: ['0191e4a2-0000-7d11-8c55-91b6e0a7c010'] },
    params: userParams,
    body: updateBody(
      z.strictObject({
        role_ids: roleIds.optional().describe('The new set of roles.'),
        enabled: z.boolean().optional().describe('Whether the user may use the tenant.'),
      }),
    ),
    replies: { 200: user },
    problems: ['user_not_found', 'unknown_role', 'would_exceed_own_permissions', 'last_administrator', 'own_user'],
    changesAuthorization: true,
    sensitive: true,
  },
  removeUser: {
    ...tenantRoute('DELETE', userPath, 'user:RemoveUser'),
    readsPermissions: 'all',
    summary: 'Remove a user from the tenant. The next request of each of their sessions is rejected.',
    params: userParams,
    replies: { 204: null },
    problems: ['user_not_found', 'would_exceed_own_permissions', 'last_administrator', 'own_user'],
    changesAuthorization: true,
  },
  createUserInvitation: {
    ...tenantRoute('POST', '/v1/identity/user-invitations', 'user:InviteUser'),
    readsPermissions: 'all',
    summary: 'Invite a person into the tenant by email.',
    description:
      'The mail has a link that works once, for seven days. The person signs in at a sign-in provider, which must report the invited email address as verified. The roles can grant only permissions that the caller has.',
    example: { email: 'grace@example.com', role_ids: ['0191e4a2-0000-7d11-8c55-91b6e0a7c010'] },
    body: z.strictObject({
      email: emailAddress.describe('Email address of the person.'),
      role_ids: roleIds.describe('Roles that the person gets.'),
      locale: locale.optional().describe('Language of the mail. Default: English.'),
    }),
    replies: { 201: userInvitation },
    location: invitationPath.replace('user_invitation_id', 'id') as '/v1/identity/user-invitations/{id}',
    problems: [
      'unknown_role',
      'would_exceed_own_permissions',
      'already_member',
      'user_invitation_exists',
      'too_many_users',
    ],
    idempotent: true,
    sensitive: true,
  },
  listUserInvitations: {
    ...tenantRoute('GET', '/v1/identity/user-invitations', 'user:ReadUser'),
    summary: 'List the user invitations of the tenant.',
    query: pageQuery.extend({ status: invitationStatus.optional().describe('Only invitations with this status.') }),
    replies: { 200: page(userInvitation) },
  },
  readUserInvitation: {
    ...tenantRoute('GET', invitationPath, 'user:ReadUser'),
    summary: 'Read a user invitation.',
    params: invitationParams,
    replies: { 200: userInvitation },
    problems: ['user_invitation_not_found'],
  },
  resendUserInvitation: {
    ...tenantRoute('POST', `${invitationPath}/resend`, 'user:InviteUser'),
    summary: 'Send a user invitation again, with the same link.',
    params: invitationParams,
    replies: { 200: userInvitation },
    problems: ['user_invitation_not_found', 'user_invitation_not_open', 'resend_too_soon', 'resend_limit_reached'],
    idempotent: true,
  },
  cancelUserInvitation: {
    ...tenantRoute('POST', `${invitationPath}/cancel`, 'user:InviteUser'),
    readsPermissions: 'all',
    summary: 'Cancel a user invitation, so that its link cannot be used.',
    description: 'The caller needs the permissions that the roles of the invitation grant.',
    params: invitationParams,
    replies: { 200: userInvitation },
    problems: ['user_invitation_not_found', 'user_invitation_not_open', 'would_exceed_own_permissions'],
    idempotent: true,
  },
} as const satisfies Readonly<Record<string, Endpoint>>

/** Without name and email address: what a webhook receives cannot be erased. */
const userEvent = z
  .object({ user: user.omit({ email: true, name: true }).describe('The user, without name and email address.') })
  .meta({ id: 'UserEvent', description: 'Payload of user events.' })

const invitationEvent = z
  .object({ user_invitation: userInvitation.omit({ email: true }).describe('The invitation, without email address.') })
  .meta({ id: 'UserInvitationEvent', description: 'Payload of events of user invitations.' })

export const userEvents = {
  'identity.users.create': tenantEvent('A user joined the tenant.', userEvent),
  'identity.users.update': tenantEvent('The roles of a user changed, or the user was enabled or disabled.', userEvent),
  'identity.users.delete': tenantEvent(
    'A user was removed from the tenant.',
    z.object({
      id: uuid.describe('Identifier of the user.'),
      deleted_at: instant.describe('When the user was removed.'),
    }),
  ),
  'identity.user-invitations.create': tenantEvent('A person was invited into the tenant.', invitationEvent),
  'identity.user-invitations.decline': tenantEvent('A person declined their invitation.', invitationEvent),
  'identity.user-invitations.cancel': tenantEvent('A user invitation was canceled.', invitationEvent),
  'identity.user-invitations.accept': tenantEvent('A person accepted their invitation.', invitationEvent),
} as const satisfies EventDefinitions
