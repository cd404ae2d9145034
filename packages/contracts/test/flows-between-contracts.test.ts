import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { contracts, type ServiceName } from '../src/edges/contracts.ts'
import { type Contract, contract } from '../src/grammar/contract.ts'
import { text, uuid } from '../src/grammar/field.ts'
import {
  actorNames,
  type Field,
  findAccepted,
  flows,
  listEntries,
  listExits,
  listInternalBodies,
  listRequestFields,
  parentPath,
  subject,
} from './flow-fields.ts'

/**
 * Texts of one contract flow into the internal requests of another, such as the name of a payer into a message. Each
 * text that the entry accepts is tried there: by equal names, and by the table of the flows with another name.
 */

type Path = `${ServiceName}.${string}.${string}`
/** Claims of an ID token that a sign-in accepts, by their names. */
const claims = {
  'token.sub': findAccepted(subject),
  'token.actor': actorNames,
  'token.name': findAccepted({ name: 'name', path: 'token.name', schema: text(200) }),
} as const

interface Renamed {
  readonly from: readonly (Path | keyof typeof claims)[]
  readonly to: readonly Path[]
}

const names = {
  tenant: ['rbac.createTenant.name'],
  role: ['rbac.createRole.name', 'rbac.updateRole.name'],
} as const

/** Each flow whose ends have other names. A path is service, operation and field. */
const renamed: readonly Renamed[] = [
  {
    from: names.tenant,
    to: [
      'communication.queueUserInvitation.tenant_name',
      'identity.readSelf.tenant.name',
      'identity.readSelf.memberships.tenant_name',
      'identity.readSelf.invitations.tenant_name',
    ],
  },
  {
    from: names.role,
    to: [
      'communication.queueUserInvitation.role_names',
      'rbac.resolveRoles.role_names',
      'api-key.readKeyPermissions.data.granted_by.role_name',
      'api-key.readOwnKey.roles.name',
      'api-key.issueKey.role_name',
      'identity.inviteFirstUser.role_name',
      'identity.readSelf.roles.name',
    ],
  },
  { from: ['api-key.issueKey.role_name', 'identity.inviteFirstUser.role_name'], to: ['rbac.resolveRoles.role_names'] },
  {
    from: ['identity.createUserInvitation.email', 'identity.inviteFirstUser.email'],
    to: ['communication.queueUserInvitation.recipient'],
  },
  {
    from: ['token.name'],
    to: [
      'communication.queueUserInvitation.inviter.name',
      'identity.readSelf.actor.name',
      'identity.listUsers.data.name',
      'identity.exportUser.name',
    ],
  },
  { from: ['token.actor'], to: ['api-key.takeReveal.actor'] },
  {
    from: [
      'invite-to-pay.createCode.communication_details.payer_name',
      'invite-to-pay.createCode.communication_details.description',
      'invite-to-pay.updateCode.communication_details.payer_name',
      'invite-to-pay.updateCode.communication_details.description',
      'payment-proxy.createTransaction.invitation.communication_details.payer_name',
      'payment-proxy.createTransaction.invitation.communication_details.description',
      'payment-proxy.createTransaction.invitation.communication_details.variables',
    ],
    to: ['communication.queueCommunication.variables', 'communication.checkTemplate.variables'],
  },
  {
    from: ['payment-proxy.createTransaction.transaction.transaction_items.name'],
    to: ['communication.queueCommunication.items.name'],
  },
  {
    from: ['payment-proxy.createTransaction.invitation.recipient', 'invite-to-pay.createCode.recipient'],
    to: [
      'payment-proxy.createInvitedTransaction.invitation.recipient',
      'invite-to-pay.checkInvitation.invitation.recipient',
      'communication.queueCommunication.recipient',
    ],
  },
  {
    from: ['invite-to-pay.createCode.communication_details.payer_name'],
    to: ['payment-proxy.createInvitedTransaction.invitation.communication_details.payer_name'],
  },
  {
    from: ['payment-proxy.createTransaction.locale', 'payment-proxy.createTransaction.invitation.locale'],
    to: ['invite-to-pay.checkInvitation.transaction_locale', 'communication.queueCommunication.locale'],
  },
  {
    from: ['business-unit.createBusinessUnit.communication.from_name', 'business-unit.createBusinessUnit.name'],
    to: ['communication.listOutboxMessages.data.from_name'],
  },
  { from: ['communication.createTemplate.name'], to: ['communication.sendCommunication.template_name'] },
]

/** Ends with the name of a field of another body, into which that field does not flow. */
const unrelated: Readonly<Partial<Record<Path, string>>> = {
  'business-unit.provisionBusinessUnit.name':
    'An operator names the unit. payctl checks the name before it calls rbac and business-unit.',
  'payment-proxy.createInvitedTransaction.invitation.communication_details.description': 'Describes a payment.',
  'invite-to-pay.checkInvitation.invitation.communication_details.description': 'Describes a payment.',
  'payment-proxy.createInvitedTransaction.invitation.return_url': 'Not the page of a confirmation, which is our own.',
  'invite-to-pay.checkInvitation.invitation.return_url': 'Not the page of a confirmation, which is our own.',
  'communication.queueUserInvitation.recipient': 'A person whom a user invites, not a payer.',
  'communication.eraseRecipient.recipient': 'A person whom a user invited, not a payer.',
}

const rejects = (values: readonly string[], { schema }: Field) =>
  values.some((value) => !schema.safeParse(value).success)

/** Flows by equal names that are rejected at the end: `entry field -> exit field`, each once. */
function rejections(all: readonly Contract[]): string[] {
  const ends = all.flatMap(listInternalBodies)
  const found = all.flatMap(listEntries).flatMap((entry) => {
    const values = findAccepted(entry)
    return ends
      .filter((end) => flows(entry, end) && !(parentPath(entry) === null && end.path in unrelated))
      .flatMap((end) => (rejects(values, end) ? [`${entry.path} -> ${end.path}`] : []))
  })
  return [...new Set(found)]
}

/** The values that the entry of a path accepts. Throws for a path that no request has. */
function valuesAt(all: readonly Contract[], path: string): readonly string[] {
  if (path in claims) return claims[path as keyof typeof claims]
  const entries = all.flatMap(listRequestFields).filter((entry) => entry.path === path)
  if (entries.length === 0) throw new Error(`No request has the field ${path}`)
  return entries.flatMap(findAccepted)
}

/** The ends of a path: in a request between services, a reply or an event. Throws for a path that none has. */
function endsAt(all: readonly Contract[], path: string): Field[] {
  const ends = [...all.flatMap(listInternalBodies), ...all.flatMap(listExits)].filter((end) => end.path === path)
  if (ends.length === 0) throw new Error(`No internal request, reply or event has the field ${path}`)
  return ends
}

/** As `rejections`, of flows with another name. */
const renamedRejections = (all: readonly Contract[], flow: { from: readonly string[]; to: readonly string[] }) =>
  flow.from.flatMap((from) => {
    const values = valuesAt(all, from)
    return flow.to.flatMap((to) => (endsAt(all, to).some((end) => rejects(values, end)) ? [`${from} -> ${to}`] : []))
  })

describe('every text is accepted by the internal requests of other contracts', () => {
  test('with the same name', () => {
    expect(rejections(contracts)).toEqual([])
  })

  test.each(renamed.map((flow) => [flow.from.join(', '), flow] as const))('%s', (_from, flow) => {
    expect(renamedRejections(contracts, flow)).toEqual([])
    for (const from of flow.from) expect([from, valuesAt(contracts, from).length]).not.toEqual([from, 0])
  })

  test('many of them are tried, and every unrelated end exists', () => {
    const ends = contracts.flatMap(listInternalBodies)
    const entries = contracts.flatMap(listEntries).filter((entry) => findAccepted(entry).length > 0)
    expect(ends.filter((end) => entries.some((entry) => flows(entry, end))).length).toBeGreaterThan(30)
    const paths = ends.map(({ path }) => path)
    expect(Object.keys(unrelated).filter((path) => !paths.includes(path))).toEqual([])
  })
})

describe('the test finds a planted fault between two contracts', () => {
  const plantFlow = (entry: z.ZodType, end: z.ZodType) => {
    const base = { description: 'A.', problems: {}, events: {} }
    const replies = { 200: z.object({ id: uuid }) }
    const make = { method: 'POST', path: '/v1/a/x', audience: 'authenticated', summary: 'Make.', replies } as const
    const take = { method: 'POST', path: '/internal/x', audience: 'internal', summary: 'Take.', replies } as const
    return [
      contract({ ...base, service: 'a', endpoints: { make: { ...make, body: z.strictObject({ note: entry }) } } }),
      contract({ ...base, service: 'b', endpoints: { take: { ...take, callers: ['a'], body: end } } }),
    ]
  }

  test.each<[string, z.ZodType, z.ZodType, number]>([
    ['a shorter text', text(200), z.strictObject({ note: text(100) }), 1],
    ['other characters in a list', text(200), z.strictObject({ note: z.array(z.string().regex(/^[^\n]*$/)) }), 1],
    ['a shorter value of a record', text(200), z.strictObject({ note: z.record(z.string(), text(100)) }), 1],
    ['none where the end is as wide', text(200), z.strictObject({ note: text(200) }), 0],
  ])('%s', (_fault, entry, end, count) => {
    expect(rejections(plantFlow(entry, end))).toHaveLength(count)
  })

  test('in a flow with another name, and a name that no contract has', () => {
    const both = plantFlow(text(200), z.strictObject({ remark: text(100) }))
    expect(rejections(both)).toEqual([])
    const flow = { from: ['a.make.note'], to: ['b.take.remark'] }
    expect(renamedRejections(both, flow)).toEqual(['a.make.note -> b.take.remark'])
    expect(() => renamedRejections(both, { ...flow, from: ['a.make.other'] })).toThrow('a.make.other')
    expect(() => renamedRejections(both, { ...flow, to: ['b.take.other'] })).toThrow('b.take.other')
  })
})
