import type { CommandNode, OptionNode } from '../command-tree.ts'
import { branchesOf } from './branches.ts'

export function fishCompletion(tree: CommandNode): string {
  const { steps, nodes } = branchesOf(tree)
  return `# fish completion of payctl, written by: payctl completion fish
function __payctl_command_path
  set -l found ''
  for word in (commandline -opc)[2..-1]
    switch "$found $word"
      case ${steps.map(quoted).join(' ')}
        set found (string trim -- "$found $word")
      case '*'
        break
    end
  end
  echo "$found"
end
complete -c payctl -f
${nodes.flatMap(({ path, node }) => linesOf(path, node)).join('\n')}
`
}

function linesOf(path: string, { commands, arguments: parameters, options }: CommandNode): string[] {
  const condition = quoted(`test (__payctl_command_path) = ${quoted(path)}`)
  const start = `complete -c payctl -n ${condition}`
  return [
    ...commands.map((one) => `${start} -a ${quoted(one.path.at(-1) ?? '')} -d ${quoted(one.description)}`),
    ...parameters
      .filter(({ choices }) => choices.length > 0)
      .map(({ choices, description }) => `${start} -a ${quoted(choices.join(' '))} -d ${quoted(description)}`),
    ...options.map((one) => `${start} -l ${one.long.replace(/^--/, '')}${valueOf(one)} -d ${quoted(one.description)}`),
  ]
}

function valueOf({ takesValue, takesFile, choices }: OptionNode): string {
  if (takesFile) return ' -r -F'
  if (choices.length > 0) return ` -x -a ${quoted(choices.join(' '))}`
  return takesValue ? ' -x' : ''
}

/** In single quotes, fish reads a backslash before a quote or a backslash as an escape. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
