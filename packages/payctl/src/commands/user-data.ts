import type { Command } from 'commander'
import { uuid } from '../arguments.ts'
import { confirmErasure } from '../confirmation.ts'
import { numberFields, printFields, printJson, printResult } from '../output.ts'
import { newContext, type Services } from '../services.ts'

/** The personal data of one person: docs/personal-data.md. */
export function erasureCommands(user: Command, services: () => Services): void {
  user
    .command('export')
    .description('print everything that identity stores about a person')
    .requiredOption('--user <id>', 'id of the user', uuid)
    .option('--json', 'print JSON')
    .action(async ({ user: id, json }: { user: string; json?: true }) => {
      const stored = await readPerson(services(), id)
      if (json) return printJson(stored)
      const { subjects, memberships, invitations, sessions, ...fields } = stored
      printFields({
        ...fields,
        ...numberFields('subject', subjects),
        ...numberFields('membership', memberships),
        ...numberFields('invitation', invitations),
        ...numberFields('session', sessions),
      })
    })

  user
    .command('erase')
    .description(
      'erase name, email address and sign-in subjects of a person, who leaves every tenant. ' +
        'Audit records and events keep the id of the person. This cannot be undone',
    )
    .requiredOption('--user <id>', 'id of the user', uuid)
    .option('--yes', 'erase without a confirmation')
    .option('--json', 'print JSON')
    .action(async ({ user: id, yes, json }: { user: string; yes?: true; json?: true }) => {
      if (!yes) await confirmErasure(`the user ${id}`)
      const erased = await erase(services(), id)
      const fields = { tenant_ids: erased.tenant_ids.join(', ') || '–', remains: erased.remains.join('; ') }
      printResult(erased, json, { ...erased, ...fields })
    })
}

const readPerson = ({ identity }: Services, id: string) =>
  identity.exportUser(newContext(), { params: { user_id: id } })

/** No erasure changes these: docs/personal-data.md. */
const remains = ['audit records and events with the id of the user', 'backups made before the erasure']

/**
 * Communication comes first: once identity has erased the addresses, a repeated run could not name them. It comes last
 * too, for a mail that identity handed over in between.
 */
async function erase(services: Services, id: string) {
  const { email, invitations } = await readPerson(services, id)
  const invited = invitations.map(({ user_invitation }) => user_invitation.email)
  const addresses = new Set([email, ...invited].filter((one) => one !== null))
  const eraseMails = async () => {
    let count = 0
    for (const recipient of addresses)
      count += (await services.communication.eraseRecipient(newContext(), { body: { recipient } })).erased
    return count
  }
  const before = await eraseMails()
  const erased = await services.identity.eraseUser(newContext(), { params: { user_id: id } })
  return { ...erased, erased_mails: before + (await eraseMails()), remains }
}
