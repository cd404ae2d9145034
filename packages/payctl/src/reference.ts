import type { Command } from 'commander'
import { type CommandNode, listCommands } from './command-tree.ts'

const [begin, end] = ['<!-- commands: written by scripts/texts/payctl-reference.mjs -->\n', '<!-- end of commands -->']

/** The document with the table of all commands replaced. Throws when the document does not mark that part. */
export function withReference(document: string, program: Command): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the document has no part between ${begin.trim()} and ${end}`)
  const leaves = listCommands(program).filter(({ command }) => command.commands.length === 0)
  const table = `| Command | Effect |\n|---|---|\n${leaves.map(formatRow).join('')}`
  return `${document.slice(0, from)}${begin}\n${table}\n${document.slice(to)}`
}

/** The command with its arguments and required options, and its description. */
function formatRow({ path, command, options }: CommandNode): string {
  const parameters = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))
  const required = options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  const usage = ['payctl', path, ...parameters, ...required].join(' ')
  return `| \`${usage.replaceAll('|', '\\|')}\` | ${command.description()} |\n`
}
