import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { ConfigError } from '@payments/chassis/base/config'
import { Problem } from '@payments/contracts/grammar/problem'
import { Command, CommanderError } from 'commander'
import { auditCommands } from './commands/audit.ts'
import { businessUnitCommands } from './commands/business-unit.ts'
import { completionCommand } from './commands/completion.ts'
import { dlqCommands } from './commands/dlq.ts'
import { keyCommands } from './commands/key.ts'
import { payerCommands } from './commands/payer.ts'
import { paymentsCommands } from './commands/payments.ts'
import { secretsCommands } from './commands/secrets.ts'
import { tenantCommands } from './commands/tenant.ts'
import { tokenCommand } from './commands/token.ts'
import { userCommands } from './commands/user.ts'
import { webhooksCommands } from './commands/webhooks.ts'
import { readConfig } from './config.ts'
import { printable, problemText } from './output.ts'
import { connectServices } from './services.ts'
import { didYouMean, suggestChoices } from './suggestion.ts'

export const exitCodes = {
  0: 'done',
  1: 'refused, failed, or a check found something: the message says why',
  2: 'the command line is wrong; nothing was changed',
  130: 'interrupted; a started task continues',
} as const

const exitCodesText = `
Exit codes:
${Object.entries(exitCodes)
  .map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`)
  .join('\n')}`

export function createProgram(): Command {
  const program = new Command('payctl')
    .description('command line of platform operators')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: (message, write) => write(oneLine(withoutBreak(message))) })
    .addHelpText('after', exitCodesText)
  const services = () => connectServices(readConfig())
  tenantCommands(program, services)
  keyCommands(program, services)
  businessUnitCommands(program, services)
  userCommands(program, services)
  payerCommands(program, services)
  tokenCommand(program, readConfig, services)
  dlqCommands(program, services)
  paymentsCommands(program, services)
  auditCommands(program, services)
  secretsCommands(program, services)
  webhooksCommands(program, services)
  completionCommand(program)
  requireSubcommands(program)
  suggestChoices(program)
  return program
}

/** Runs one command line; returns the exit code. */
export async function payctl(argv: readonly string[]): Promise<number> {
  try {
    const program = createProgram()
    await program.parseAsync(withHelpOption(program, argv), { from: 'user' })
    return 0
  } catch (error) {
    return explain(error)
  }
}

/** One line for what is expected; a stack for what is a bug. Returns the exit code. */
function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    if (!error.code.startsWith('payctl.')) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(oneLine(error.message))
    return error.exitCode
  }
  if (error instanceof Problem) {
    process.stderr.write(oneLine(problemText(error)))
    return error.code === 'invalid_request' ? 2 : 1
  }
  if (error instanceof ConfigError) process.stderr.write(`payctl: ${error.message}\n`)
  // A bug. The texts of its causes may be foreign.
  else process.stderr.write(`${inspect(error).split('\n').map(printable).join('\n')}\n`)
  return 1
}

/** commander puts what it suggests on another line. */
const withoutBreak = (message: string) => message.replace(/^error: /, '').replace('\n(Did you mean ', ' (Did you mean ')

const oneLine = (message: string) => `payctl: ${printable(message.trim())}\n`

/** A command that only has others: without one of them, commander would print its help on standard error. */
function requireSubcommands(command: Command): void {
  if (command.commands.length === 0) return
  command.helpCommand('help [command]', 'print the help of a command')
  command.action((_options: unknown, { args }: Command) => {
    rejectUnknown(command, args[0])
  })
  command.allowExcessArguments()
  for (const one of command.commands) requireSubcommands(one)
}

/** Names the commands that the command has, in place of a missing one or an unknown one. */
function rejectUnknown(command: Command, word: string | undefined): never {
  const name = command.parent === null ? 'payctl' : `payctl ${command.name()}`
  const names = command.commands.map((one) => one.name())
  const what = word === undefined ? 'a command is missing' : `unknown command '${word}'`
  return command.error(`error: ${what}; ${name} has ${names.join(', ') || 'none'}${didYouMean(word ?? '', names)}`)
}

/**
 * The command line with `--help` in place of `help`, of which commander reads one name alone. Throws a CommanderError
 * for a command that does not exist.
 */
function withHelpOption(program: Command, argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('help')
  const findCommand = (command: Command, word: string) => command.commands.find((one) => one.name() === word)
  let command = program
  for (const word of argv.slice(0, at)) {
    const next = findCommand(command, word)
    if (next === undefined) return argv
    command = next
  }
  const words = argv.slice(at + 1)
  if (at < 0 || command.commands.length === 0 || words.some((word) => word.startsWith('-'))) return argv
  for (const word of words) command = findCommand(command, word) ?? rejectUnknown(command, word)
  return [...argv.slice(0, at), ...words, '--help']
}

/** The release: this package has its version. Works from `src` and from `dist`. */
function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
