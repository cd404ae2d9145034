import type { CommandNode, OptionNode } from '../command-tree.ts'
import { collectBranches } from './branches.ts'

export function fishCompletion(tree: CommandNode): string {
  const { steps, nodes } = collectBranches(tree)
  return `# fish completion of payctl, written by: payctl completion fish
function __payctl_command_path
  set -l found ''
  for word in (commandline -opc)[2..-1]
    switch "$found $word"
      case ${steps.map(quote).join(' ')}
        set found (string trim -- "$found $word")
      case '*'
        break
    end
  end
  echo "$found"
end
complete -c payctl -f
${nodes.flatMap(({ path, node }) => formatLines(path, node)).join('\n')}
`
}

function formatLines(path: string, { commands, arguments: parameters, options }: CommandNode): string[] {
  const condition = quote(`test (__payctl_command_path) = ${quote(path)}`)
  const start = `complete -c payctl -n ${condition}`
  return [
    ...commands.map((one) => `${start} -a ${quote(one.path.at(-1) ?? '')} -d ${quote(one.description)}`),
    ...parameters
      .filter(({ choices }) => choices.length > 0)
      .map(({ choices, description }) => `${start} -a ${quote(choices.join(' '))} -d ${quote(description)}`),
    ...options.map(
      (one) => `${start} -l ${one.long.replace(/^--/, '')}${valueFlags(one)} -d ${quote(one.description)}`,
    ),
  ]
}

function valueFlags({ takesValue, takesFile, choices }: OptionNode): string {
  if (takesFile) return ' -r -F'
  if (choices.length > 0) return ` -x -a ${quote(choices.join(' '))}`
  return takesValue ? ' -x' : ''
}

/** In single quotes, fish reads a backslash before a quote or a backslash as an escape. */
const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
