import type { Command, Option } from 'commander'
import type { CommandNode } from '../command-tree.ts'
import { collectBranches, takesFile, takesValue } from './branches.ts'

export function fishCompletion(program: Command): string {
  const { steps, nodes } = collectBranches(program)
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
${nodes.flatMap(formatLines).join('\n')}
`
}

function formatLines({ path, command, options }: CommandNode): string[] {
  const condition = quote(`test (__payctl_command_path) = ${quote(path)}`)
  const start = `complete -c payctl -n ${condition}`
  return [
    ...command.commands.map((one) => `${start} -a ${quote(one.name())} -d ${quote(one.description())}`),
    ...command.registeredArguments.flatMap(({ argChoices, description }) =>
      argChoices === undefined ? [] : [`${start} -a ${quote(argChoices.join(' '))} -d ${quote(description)}`],
    ),
    ...options.map((one) => `${start} -l ${one.long?.slice(2)}${valueFlags(one)} -d ${quote(one.description)}`),
  ]
}

function valueFlags(option: Option): string {
  if (takesFile(option)) return ' -r -F'
  if (option.argChoices !== undefined) return ` -x -a ${quote(option.argChoices.join(' '))}`
  return takesValue(option) ? ' -x' : ''
}

/** In single quotes, fish reads a backslash before a quote or a backslash as an escape. */
const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, (character) => `\\${character}`)}'`
