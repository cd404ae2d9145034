import { type CommandNode, everyCommand } from './command-tree.ts'

const [begin, end] = ['<!-- commands: written by scripts/texts/payctl-reference.mjs -->\n', '<!-- end of commands -->']

/** The document with the table of all commands replaced. Throws when the document does not mark that part. */
export function withReference(document: string, tree: CommandNode): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the document has no part between ${begin.trim()} and ${end}`)
  const leaves = everyCommand(tree).filter(({ commands }) => commands.length === 0)
  const table = `| Command | Effect |\n|---|---|\n${leaves.map(formatRow).join('')}`
  return `${document.slice(0, from)}${begin}\n${table}\n${document.slice(to)}`
}

/** The command with its arguments and required options, and its description. */
function formatRow(node: CommandNode): string {
  const required = node.options.filter(({ mandatory }) => mandatory)
  const usage = ['payctl', ...node.path, ...[...node.arguments, ...required].map(({ term }) => term)].join(' ')
  return `| \`${usage.replaceAll('|', '\\|')}\` | ${node.description} |\n`
}
