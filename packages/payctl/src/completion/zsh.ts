import type { Command } from 'commander'
import type { CommandNode } from '../command-tree.ts'
import { alternatives, collectBranches, quote } from './branches.ts'

/** zsh ties the variable `path` to PATH, so the path of the command has another name. */
export function zshCompletion(program: Command): string {
  const { steps, nodes, values } = collectBranches(program)
  const chosen = values.chosen.map(
    ({ at, choices }) => `    ${quote(at)}) compadd -- ${choices.map(quote).join(' ')}; return ;;`,
  )
  const entries = nodes.map(
    (node) => `    ${quote(node.path)})\n      entries=(${listEntries(node).map(quote).join('\n        ')}) ;;`,
  )
  return `#compdef payctl
# zsh completion of payctl, written by: payctl completion zsh
_payctl() {
  local command_path='' previous=$words[CURRENT-1] index
  local -a entries
  if [[ $words[CURRENT] == --*=* ]]; then
    previous=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    case "$command_path $words[index]" in
      (${alternatives(steps)})
        command_path="\${command_path:+$command_path }$words[index]" ;;
      (*) break ;;
    esac
  done
  case "$command_path $previous" in
${chosen.join('\n')}
    (${alternatives(values.files)}) _files; return ;;
    (${alternatives(values.free)}) _message value; return ;;
  esac
  case "$command_path" in
${entries.join('\n')}
  esac
  _describe payctl entries
}
if [[ $funcstack[1] == _payctl ]]; then
  _payctl "$@"
else
  compdef _payctl payctl
fi
`
}

/** `name:description`, as _describe reads them. */
function listEntries({ command, options }: CommandNode): string[] {
  const entry = (name: string, description: string) => `${name.replaceAll(':', '\\:')}:${description}`
  return [
    ...command.commands.map((one) => entry(one.name(), one.description())),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((choice) => entry(choice, description)),
    ),
    ...options.map(({ long = '', description }) => entry(long, description)),
  ]
}
