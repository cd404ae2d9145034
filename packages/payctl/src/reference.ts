import { type CommandNode, everyCommand, type OptionNode } from './command-tree.ts'

/** Every command with its arguments and options. */
function referenceOf(tree: CommandNode): string {
  return tree.commands.map(sectionOf).join('\n')
}

const [begin, end] = ['<!-- commands: written by scripts/payctl-reference.mjs -->\n', '<!-- end of commands -->']

/** The document with the generated part replaced. Throws when the document does not mark that part. */
export function withReference(document: string, tree: CommandNode): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the document has no part between ${begin.trim()} and ${end}`)
  return `${document.slice(0, from)}${begin}\n${referenceOf(tree)}\n${document.slice(to)}`
}

function sectionOf(node: CommandNode): string {
  const leaves = everyCommand(node).filter(({ commands }) => commands.length === 0)
  return [`## payctl ${node.path.join(' ')}\n`, ...leaves.map(commandOf)].join('\n')
}

function commandOf(node: CommandNode): string {
  const usage = ['payctl', ...node.path, ...node.arguments.map(({ term }) => term)].join(' ')
  const rows = [
    ...node.arguments.map(({ term, description, choices }) => [term, meaningOf({ description, choices })]),
    ...node.options.filter(({ long }) => long !== '--help').map((one) => [one.term, meaningOf(one)]),
  ]
  const lines = rows.map(([term, text]) => `| \`${term}\` | ${text} |\n`)
  const table = lines.length === 0 ? '' : `\n| Argument | Meaning |\n|---|---|\n${lines.join('')}`
  return `### \`${usage}\`\n\n${sentenceOf(node.description)}\n${table}`
}

/** One line per sentence. */
const sentenceOf = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replaceAll('. ', '.\n')}.`

type Described = Pick<OptionNode, 'description' | 'choices'> & Partial<Pick<OptionNode, 'mandatory' | 'fallback'>>

function meaningOf({ description, choices, mandatory, fallback }: Described): string {
  const notes = [
    ...(choices.length > 0 ? [`one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`] : []),
    ...(mandatory === true ? ['required'] : []),
    ...(fallback === undefined ? [] : [`default: \`${fallback}\``]),
  ]
  return [description, ...notes].join('; ')
}
