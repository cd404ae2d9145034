import { definedMembers } from '@payments/contracts/grammar/defined-members'
import type { Command } from 'commander'
import { emailAddress, listMax, shortText, upTo, usageError, uuid, wholeNumber } from '../arguments.ts'
import { sessionColumns, userColumns, userInvitationColumns } from '../columns.ts'
import { confirm } from '../confirmation.ts'
import { printJson, printResult } from '../output.ts'
import { newContext, type Services } from '../services.ts'
import { type ListForm, listAction, printList, withListForms } from '../table.ts'
import { readRoleNames, userByEmail, withKnownRole } from '../tenants.ts'
import { erasureCommands } from './user-data.ts'

export function userCommands(program: Command, services: () => Services): void {
  const user = program
    .command('user')
    .description('invite, list, remove, export and erase users, and end their sessions')
  inviteCommand(user, services)
  listCommands(user, services)
  removeCommand(user, services)
  sessionsCommand(user, services)
  erasureCommands(user, services)
}

/** The link opens the tenant to the person at that email address, so it is printed on request only. */
export const linkOption = (command: Command): Command =>
  command.option('--print-link', 'print the link of the invitation, for a person whom no mail reaches')

const tenantOption = (command: Command): Command => command.requiredOption('--tenant <id>', 'id of the tenant', uuid)

const withUser = (command: Command): Command =>
  command
    .option('--user <id>', 'id of the user', uuid)
    .option('--email <email>', 'email address of the user', emailAddress)

interface InviteOptions {
  tenant: string
  email: string
  role: string
  printLink?: true
  json?: true
}

function inviteCommand(user: Command, services: () => Services): void {
  const invite = tenantOption(user.command('invite'))
    .description(
      'invite a person into a tenant by a mail with a link, valid for seven days. ' +
        'A sign-in provider must report the email address of the person as verified',
    )
    .requiredOption('--email <email>', 'email address of the person', emailAddress)
    .requiredOption('--role <name>', 'name of a role of the tenant', shortText(200))
  linkOption(invite)
    .option('--json', 'print JSON')
    .action(async ({ tenant, email, role, printLink, json }: InviteOptions) => {
      const connected = services()
      const invited = await withKnownRole(connected, { tenant, role }, () =>
        inviteUser(connected, { tenant, email, role, printLink }),
      )
      const shown = { tenant_id: tenant, role }
      printResult({ ...shown, user_invitation: invited }, json, { ...shown, ...invited })
    })
}

export type InvitedUser = Awaited<ReturnType<typeof inviteUser>>

export async function inviteUser(
  { identity }: Pick<Services, 'identity'>,
  {
    tenant,
    email,
    role,
    printLink,
  }: Pick<InviteOptions, 'tenant' | 'email' | 'role'> & { printLink?: true | undefined },
) {
  const { user_invitation: invitation, url } = await identity.inviteFirstUser(newContext(), {
    params: { tenant_id: tenant },
    body: { email, role_name: role },
  })
  const { id, expires_at } = invitation
  return { id, email: invitation.email, expires_at, ...(printLink ? { url } : {}) }
}

function listCommands(user: Command, services: () => Services): void {
  const list = tenantOption(user.command('list'))
    .description('list the users of a tenant')
    .option('--email <email>', 'only the user with this email address', emailAddress)
  listAction(list, ['rows', 50], async ({ tenant, email }: { tenant: string; email?: string }, all) => {
    const { identity, rbac } = services()
    const params = { tenant_id: tenant }
    const roleNames = await readRoleNames({ rbac }, tenant)
    const items = await all((page) =>
      identity.listUsersOfTenant(newContext(), { params, query: { ...definedMembers({ email }), ...page } }),
    )
    return { items, columns: userColumns(roleNames), json: withRoles(items, roleNames) }
  })

  const invitations = tenantOption(user.command('invitations')).description('list the user invitations of a tenant')
  listAction(invitations, ['rows', 50], async ({ tenant }: { tenant: string }, all) => {
    const { identity, rbac } = services()
    const params = { tenant_id: tenant }
    const roleNames = await readRoleNames({ rbac }, tenant)
    const items = await all((query) => identity.listUserInvitationsOfTenant(newContext(), { params, query }))
    return { items, columns: userInvitationColumns(roleNames), json: withRoles(items, roleNames) }
  })
}

const withRoles = <T extends { role_ids: readonly string[] }>(items: readonly T[], roleNames: (id: string) => string) =>
  items.map((one) => ({ ...one, roles: one.role_ids.map(roleNames) }))

interface UserChoice {
  tenant: string
  user?: string
  email?: string
}

async function findUserId(services: Services, { tenant, user, email }: UserChoice): Promise<string | undefined> {
  return email === undefined ? user : (await userByEmail(services, tenant, email)).id
}

function removeCommand(user: Command, services: () => Services): void {
  withUser(tenantOption(user.command('remove')))
    .description(
      'remove a user from a tenant. The next request of each of their sessions is rejected. ' +
        'An operator can remove the last administrator too',
    )
    .option('--json', 'print JSON')
    .action(async ({ json, ...choice }: UserChoice & { json?: true }) => {
      const isChosen = choice.user !== undefined || choice.email !== undefined
      if (!isChosen || (choice.user && choice.email)) throw usageError('give either --user or --email')
      const connected = services()
      const id = (await findUserId(connected, choice)) ?? ''
      const params = { tenant_id: choice.tenant, user_id: id }
      await connected.identity.removeUserOfTenant(newContext(), { params })
      const removed = { tenant_id: choice.tenant, removed_user_id: id }
      printResult(removed, json)
    })
}

interface SessionsOptions extends ListForm, UserChoice {
  end?: true
  yes?: true
  limit: number
}

function sessionsCommand(user: Command, services: () => Services): void {
  const sessions = withUser(tenantOption(user.command('sessions')))
    .description('list the sessions of a tenant or of one of its users, or end them')
    .option('--end', 'end the sessions; the next request of each is rejected')
    .option('--yes', 'end all sessions of the tenant without a confirmation')
    .option('--limit <n>', `maximum number of rows, up to ${listMax}`, wholeNumber(1, listMax), 50)
  withListForms(sessions).action(async ({ end, yes, limit, tenant, user, email, ...form }: SessionsOptions) => {
    if (user && email) throw usageError('--user and --email exclude each other')
    if (end && !user && !email && !yes) await confirmEndOfAll(tenant)
    const connected = services()
    const { identity } = connected
    const chosen = await findUserId(connected, { tenant, ...definedMembers({ user, email }) })
    const params = { tenant_id: tenant }
    const filter = definedMembers({ user_id: chosen })
    if (end) {
      const ended = await identity.endSessionsOfTenant(newContext(), { params, query: filter })
      return printResult(ended, form.json)
    }
    const data = await upTo(limit, (page) =>
      identity.listSessionsOfTenant(newContext(), { params, query: { ...filter, ...page } }),
    )
    if (form.json) printJson(data)
    else printList(data, sessionColumns, form)
  })
}

const confirmEndOfAll = (tenant: string): Promise<void> =>
  confirm({
    question: `End the sessions of every user of the tenant ${tenant}?`,
    word: 'end',
    without: 'without --user and --email, every session of the tenant ends',
    otherwise: 'no session was ended',
  })
