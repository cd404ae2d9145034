import type { Command } from 'commander'
import { alternatives, collectBranches, quote } from './branches.ts'

/** readline splits `--option=value` at the equals sign. For bash 3.2 and later: macOS has no newer one. */
export function bashCompletion(program: Command): string {
  const { steps, nodes, values } = collectBranches(program)
  const chosen = values.chosen.map(({ at, choices }) => `    ${quote(at)}) words=${quote(choices.join(' '))} ;;`)
  const words = nodes.map(({ path, command, options }) => {
    const names = command.commands.map((one) => one.name())
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
    const all = [...names, ...choices, ...options.map(({ long }) => long)]
    return `        ${quote(path)}) words=${quote(all.join(' '))} ;;`
  })
  return `# bash completion of payctl, written by: payctl completion bash
_payctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command_path='' words='' index
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command_path \${COMP_WORDS[index]}" in
      ${alternatives(steps)})
        command_path="\${command_path:+$command_path }\${COMP_WORDS[index]}" ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case "$command_path $previous" in
${chosen.join('\n')}
    ${alternatives(values.files)})
      local IFS=$'\\n'
      COMPREPLY=($(compgen -f -- "$current"))
      return ;;
    ${alternatives(values.free)}) return ;;
    *)
      case "$command_path" in
${words.join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _payctl payctl
`
}
