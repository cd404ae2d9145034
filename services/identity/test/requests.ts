import type { Caller } from '@payments/testing/calls/caller'

const users = '/v1/identity/users'
const invitations = '/v1/identity/user-invitations'
const sessions = '/v1/identity/sessions'
const tenants = '/internal/tenants'

const once = (key?: string) => (key === undefined ? {} : { 'Idempotency-Key': key })

/** The requests about people. */
export function withPeople(caller: Caller) {
  return {
    ...caller,
    self: () => caller.get('/v1/identity/self'),
    listUsers: (query = '') => caller.get(`${users}${query}`),
    readUser: (id: string) => caller.get(`${users}/${id}`),
    updateUser: (id: string, body: object) => caller.patch(`${users}/${id}`, body),
    removeUser: (id: string) => caller.delete(`${users}/${id}`),
    invite: (body: object, key?: string) => caller.post(invitations, body, once(key)),
    listInvitations: (query = '') => caller.get(`${invitations}${query}`),
    readInvitation: (id: string) => caller.get(`${invitations}/${id}`),
    resend: (id: string, key?: string) => caller.post(`${invitations}/${id}/resend`, {}, once(key)),
    cancel: (id: string, key?: string) => caller.post(`${invitations}/${id}/cancel`, {}, once(key)),
    listSessions: (query = '') => caller.get(`${sessions}${query}`),
    readSession: (id: string) => caller.get(`${sessions}/${id}`),
    endSession: (id: string) => caller.delete(`${sessions}/${id}`),
    endAllSessions: (userId: string) => caller.delete(`${users}/${userId}/sessions`),
    createToken: () => caller.post('/v1/identity/session/token'),
  }
}

/** The requests of other processes and of operators. */
export function withProcesses(caller: Caller) {
  return {
    ...caller,
    identify: (body: object) => caller.post('/internal/sessions/identify', body),
    recordUses: (uses: readonly object[]) => caller.post('/internal/sessions/uses', { uses }),
    tokenKeys: () => caller.get('/internal/session-token-keys'),
    countMembers: (tenantId: string, roleId: string) => caller.get(`${tenants}/${tenantId}/roles/${roleId}/members`),
    memberRoles: (tenantId: string) => caller.get(`${tenants}/${tenantId}/member-roles`),
    inviteFirst: (tenantId: string, body: object) => caller.post(`${tenants}/${tenantId}/user-invitations`, body),
    listUsersIn: (tenantId: string, query = '') => caller.get(`${tenants}/${tenantId}/users${query}`),
    listInvitationsIn: (tenantId: string, query = '') => caller.get(`${tenants}/${tenantId}/user-invitations${query}`),
    removeUserFrom: (tenantId: string, userId: string) => caller.delete(`${tenants}/${tenantId}/users/${userId}`),
    listSessionsIn: (tenantId: string, query = '') => caller.get(`${tenants}/${tenantId}/sessions${query}`),
    endAllSessions: (tenantId: string, query = '') => caller.delete(`${tenants}/${tenantId}/sessions${query}`),
    exportUser: (userId: string) => caller.get(`/internal/users/${userId}`),
    eraseUser: (userId: string) => caller.delete(`/internal/users/${userId}`),
  }
}
