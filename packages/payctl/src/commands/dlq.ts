import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { type DeadLetterGrouping, deadLetterGroupings } from '@payments/contracts/services/webhooks/dead-letters'
import { Argument, type Command, Option } from 'commander'
import { commandFailure, isUuid, messageIds, shortText, usageError, uuid, wholeNumber } from '../arguments.ts'
import { attemptColumns, groupColumns, letterColumns, queueColumns, taskColumns } from '../columns.ts'
import { type Filters, redriveCommand, toFilter, withFilters } from '../dead-letter-filters.ts'
import { printFields, printJson, printResult, problemText } from '../output.ts'
import { changeQueue, deadLetters, listQueues, type QueueName, queueArgument, queueOwner } from '../queues.ts'
import { newContext, type Services } from '../services.ts'
import { type ListForm, listAction, printList, withListForms } from '../table.ts'
import { tenantColumns } from '../tenants.ts'

interface Choice extends Filters {
  id?: string[]
  all?: true
  dryRun?: true
  rate?: number
  reason: string
  json?: true
}

type GroupOptions = Filters & { by: DeadLetterGrouping }

export function dlqCommands(program: Command, services: () => Services): void {
  const dlq = program.command('dlq').description('inspect, redrive and discard dead letters and quarantined messages')
  queueCommands(dlq, services)
  letterCommands(dlq, services)
  const redrive = 'redrive dead letters with a new schedule; requeue quarantined messages'
  changingCommand(dlq, services, 'redrive', redrive)
  changingCommand(dlq, services, 'discard', 'discard dead letters or quarantined messages permanently')
  taskCommands(dlq, services)
}

function queueCommands(dlq: Command, services: () => Services): void {
  const list = dlq.command('list').description('list the dead-letter queues')
  withListForms(list).action(async (form: ListForm) => {
    const { queues, failures } = await listQueues(services())
    if (form.json) printJson(queues)
    else printList(queues, queueColumns, form)
    if (failures.length === 1) throw failures[0]
    if (failures.length > 1) throw commandFailure(failures.map(problemText).sort().join('; '))
  })

  const peek = dlq
    .command('peek')
    .addArgument(queueArgument())
    .description('print dead letters or quarantined messages, oldest first, without removing them')
    .option('--tenant <id>', 'only dead letters of this tenant', uuid)
  listAction(peek, ['rows', 20], async ({ tenant: tenant_id }: { tenant?: string }, all) => {
    const queue = peek.processedArgs[0] as QueueName
    if (tenant_id !== undefined && queue !== deadLetters) throw usageError(`only ${deadLetters} has --tenant`)
    const connected = services()
    const service = queueOwner(connected, queue)
    const items = await all((page) =>
      service.peekQueue(newContext(), { params: { queue }, query: { ...page, ...definedMembers({ tenant_id }) } }),
    )
    return { items, columns: letterColumns(await tenantColumns(connected, items, (letter) => letter.tenant_id)) }
  })
}

function letterCommands(dlq: Command, services: () => Services): void {
  const groups = dlq
    .command('groups')
    .addArgument(new Argument('[queue]', 'queue of the dead letters').choices([deadLetters]).default(deadLetters))
    .description('count dead letters by group, largest group first')
    .addOption(
      new Option('--by <group>', 'what the dead letters of a group have in common')
        .choices(deadLetterGroupings)
        .default('cause'),
    )
  const grouping = listAction(groups, ['groups', 50], async ({ by, ...given }: GroupOptions, all) => {
    const query = { ...toFilter(given), group_by: by }
    const { webhooks } = services()
    const items = await all((page) => webhooks.groupDeadLetters(newContext(), { query: { ...query, ...page } }))
    const commands = items.flatMap(({ filter }) => (filter === null ? [] : [redriveCommand(filter)]))
    const below = commands.length === 0 ? [] : ['', 'To redrive a group:', ...commands]
    return { items, columns: groupColumns(by), below }
  })
  withFilters(grouping)

  const show = dlq
    .command('show')
    .argument('<id>', 'id of the dead letter', uuid)
    .description('show a dead letter: request, response and every attempt')
  withListForms(show).action(async (id: string, form: ListForm) => {
    const call = { params: { dead_letter_id: id } }
    const letter = await services().webhooks.inspectDeadLetter(newContext(), call)
    if (form.json) return printJson(letter)
    const { request, response, attempts, ...fields } = letter
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [`> ${name}`, value]))
    printFields({
      ...fields,
      '> url': request.url,
      ...headers,
      '> body': request.body,
      '< body': response?.body ?? '',
    })
    printList(attempts, attemptColumns, form)
  })
}

function changingCommand(
  dlq: Command,
  services: () => Services,
  verb: 'redrive' | 'discard',
  description: string,
): void {
  const command = dlq
    .command(verb)
    .addArgument(queueArgument())
    .description(description)
    .option('--id <id...>', 'ids of dead letters or of quarantined messages', messageIds)
    .option('--all', 'every dead letter or message of the queue')
    .option('--dry-run', 'count them without changing them')
    .option('--rate <n>', 'maximum number per second, up to 1000', wholeNumber(1, 1000))
    .option('--json', 'print JSON, and no progress')
  if (verb === 'discard')
    command.option('--reason <text>', 'reason, shown in audit records', shortText(500), 'discarded by an operator')
  withFilters(command).action(async (queue: QueueName, choice: Choice) => {
    // Mistakes in the command line are reported before the configuration is read.
    const selection = readSelection(queue, choice)
    const report = choice.json ? () => {} : (line: string) => void process.stderr.write(`${line}\n`)
    const { dryRun = false, rate, reason } = choice
    const count = await changeQueue(services(), { verb, queue, selection, dryRun, rate, reason }, report)
    const result = choice.dryRun ? { count } : verb === 'redrive' ? { redriven: count } : { discarded: count }
    printResult(result, choice.json)
    const lacking = 'ids' in selection ? new Set(selection.ids).size - count : 0
    if (lacking > 0)
      throw commandFailure(`${lacking} of the ids of --id were not changed: not in ${queue}, or not confirmed`)
  })
}

function taskCommands(dlq: Command, services: () => Services): void {
  const tasks = dlq.command('tasks').description('list the tasks of operators and tenants, newest first')
  listAction(tasks, ['rows', 20], async (_options, all) => {
    const connected = services()
    const items = await all((query) => connected.webhooks.inspectTasks(newContext(), { query }))
    return { items, columns: taskColumns(await tenantColumns(connected, items, (task) => task.tenant_id)) }
  })

  dlq
    .command('cancel')
    .argument('<task>', 'id of the task', uuid)
    .description('stop a running task; finished work is not undone')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const call = { params: { task_id: id }, body: { operator: services().operator } }
      const task = await services().webhooks.cancelTask(newContext(), call)
      printResult(task, json, { task: task.id, status: task.status, done: task.done, total: task.total })
    })
}

/**
 * A selection by ids, of all, or by a filter: exactly one of the three. Ids of messages may be any text; ids of dead
 * letters are the ids of their deliveries.
 */
function readSelection(queue: QueueName, { id, all, ...given }: Choice): { ids: string[] } | { filter: object } {
  const filter = toFilter(given)
  const isFiltered = Object.keys(filter).length > 0
  if (Number(id !== undefined) + Number(all === true) + Number(isFiltered) !== 1) {
    throw usageError('give one of --id, --all and a filter')
  }
  if (queue !== deadLetters && (isFiltered || given.rate !== undefined)) {
    throw usageError(`only ${deadLetters} has filters and --rate`)
  }
  for (const one of id ?? [])
    if (queue === deadLetters && !isUuid(one)) throw usageError(`--id must be a UUID, not ${one}`)
  return id === undefined ? { filter } : { ids: id }
}
